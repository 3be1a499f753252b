import { z } from 'zod';
import { querySchema } from '../../../platform/http/schemas/query.schema.js';
import { ListMessagesQuerySchema } from './list-messages.request.js';

const RULE = 'must be the id of an interchain message: 64 hex digits, with or without 0x';

export const GetMessagePathSchema = z.object({
  /** Without 0x, in lower case. */
  messageId: z
    .string({ error: RULE })
    .regex(/^(0x)?[0-9a-fA-F]{64}$/, { error: RULE })
    .transform((id) => id.slice(-64).toLowerCase())
    .meta({
      description: 'Id of an interchain message, as the messenger contracts log it: hex with or without 0x.',
      example: '58ec5e878b20dd52584021acfce681543816cc685ff84b0c65d9c8ea366094b9',
    }),
});
export type GetMessagePath = z.output<typeof GetMessagePathSchema>;

export const GetMessageQuerySchema = querySchema({ network: ListMessagesQuerySchema.shape.network });
export type GetMessageQuery = z.output<typeof GetMessageQuerySchema>;
