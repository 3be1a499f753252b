import { z } from 'zod';
import { fromHex } from '../../../avalanche/ids/hex.js';
import { ID_LENGTH, idFromString } from '../../../avalanche/ids/id.js';
import { type IdCb58, type IdHex, idToCb58, idToHex } from '../../../avalanche/ids/text.js';
import { BASE58 } from '../openapi/patterns.js';

/** Hex text with an optional 0x, of at most `maxBytes` bytes, as bytes. */
export function hexSchema(options: { maxBytes: number }) {
  return z
    .string({ error: 'must be a hex string' })
    .transform((text, context): Uint8Array => {
      const digits = /^0x/i.test(text) ? text.length - 2 : text.length;
      if (digits % 2 !== 0) return fail(context, 'must have an even number of hex digits');
      if (digits / 2 > options.maxBytes) {
        return fail(context, `must not be longer than ${options.maxBytes} bytes`);
      }
      try {
        return fromHex(text);
      } catch {
        return fail(context, 'must be hex digits with an optional 0x prefix');
      }
    })
    .meta({
      // RE2, which many generated clients have, takes no repetitions above 1000.
      pattern: '^(0x)?([0-9a-fA-F]{2})*$',
      maxLength: 2 * options.maxBytes + '0x'.length,
      description: `Hex with or without 0x, at most ${options.maxBytes} bytes.`,
    });
}

/** A 32-byte id as hex (with or without 0x) or cb58. */
function idSchema<Id>(toId: (bytes: Uint8Array) => Id) {
  return z
    .string({ error: 'must be a hex or cb58 string' })
    .transform((text, context): Id => {
      try {
        return toId(/^(0x)?[0-9a-f]{64}$/i.test(text) ? fromHex(text) : idFromString(text));
      } catch {
        return fail(context, `must be a ${ID_LENGTH}-byte id, hex or cb58 encoded`);
      }
    })
    .meta({ pattern: `^((0x)?[0-9a-fA-F]{64}|${BASE58}{32,50})$`, format: 'id' });
}

/** In its cb58 form, for what nodes are asked. */
export const IdSchema = idSchema<IdCb58>(idToCb58);

/** In hex, for what goes into SQL. */
export const IdHexSchema = idSchema<IdHex>(idToHex);

function fail(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}
