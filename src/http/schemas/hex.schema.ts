import { z } from 'zod';
import { fromHex } from '../../avalanche/ids/hex.js';
import { idFromString, idToString, ID_LENGTH } from '../../avalanche/ids/id.js';

/** Hex text with an optional 0x, of at most `maxBytes` bytes, as bytes. */
export function hexSchema(options: { maxBytes: number }) {
  return z.string({ error: 'must be a hex string' }).transform((text, context): Uint8Array => {
    const digits = /^0x/i.test(text) ? text.length - 2 : text.length;
    if (digits % 2 !== 0) return fail(context, 'must have an even number of hex digits');
    if (digits / 2 > options.maxBytes)
      return fail(context, `must not be longer than ${options.maxBytes} bytes`);
    try {
      return fromHex(text);
    } catch {
      return fail(context, 'must be hex digits with an optional 0x prefix');
    }
  });
}

/** A 32-byte id as hex (with or without 0x) or cb58, in its cb58 form. */
export const IdSchema = z
  .string({ error: 'must be a hex or cb58 string' })
  .transform((text, context): string => {
    try {
      return /^(0x)?[0-9a-f]{64}$/i.test(text) ? idToString(fromHex(text)) : idToString(idFromString(text));
    } catch {
      return fail(context, `must be a ${ID_LENGTH}-byte id, hex or cb58 encoded`);
    }
  });

function fail(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}

/** As IdSchema, for ids that go into SQL: lower-case hex of the 32 bytes. */
export const IdHexSchema = IdSchema.transform((id) => Buffer.from(idFromString(id)).toString('hex'));
