import { z } from 'zod';
import { NetworkSchema } from '../../../platform/http/schemas/network.schema.js';
import {
  AnyAddressesSchema,
  NodeIdsSchema,
  querySchema,
  TextSchema,
} from '../../../platform/http/schemas/query.schema.js';
import {
  CHANGE_CURSOR_PATTERN,
  type ChangeCursor,
  MAX_CURSOR_LENGTH,
  parseChangeCursor,
} from '../change-cursor.js';

const RULE = 'must be the id of an event of such a stream';

function toCursor(text: string, context: z.RefinementCtx, rule: string): ChangeCursor {
  const cursor = parseChangeCursor(text);
  if (cursor !== undefined) return cursor;
  context.addIssue({ code: 'custom', message: rule });
  return z.NEVER;
}

const CURSOR = { pattern: CHANGE_CURSOR_PATTERN, format: 'change-cursor', maxLength: MAX_CURSOR_LENGTH };

export const StreamChangesQuerySchema = querySchema({
  network: NetworkSchema,
  addresses: AnyAddressesSchema.meta({
    description:
      'Bech32 addresses of the network, with or without a chain prefix (`P-`, `X-`, `C-`), whose UTXOs, and EVM addresses whose ' +
      'interchain messages are meant. Comma-separated, at most 64 different ones. A UTXO counts if these addresses together can ' +
      'consume it.',
  }).optional(),
  nodeIds: NodeIdsSchema.meta({
    description: 'Nodes whose validators are meant. Comma-separated, at most 64 different ones.',
  }).optional(),
  cursor: TextSchema.transform((text, context) => toCursor(text, context, RULE))
    .meta({
      ...CURSOR,
      description:
        'The `id` of an event: the stream begins behind it, with otherwise the same parameters. Default: the present.',
    })
    .optional(),
});

export type StreamChangesQuery = z.output<typeof StreamChangesQuerySchema>;

export const LAST_EVENT_ID_HEADER = 'Last-Event-ID';

/** Sent by browsers when they connect again; empty before the first event. */
export const LastEventIdSchema = TextSchema.transform((text, context) =>
  text === '' ? undefined : toCursor(text, context, `${LAST_EVENT_ID_HEADER}: ${RULE}`),
)
  .meta({ description: 'As `cursor`, which it replaces.', maxLength: MAX_CURSOR_LENGTH })
  .optional();
