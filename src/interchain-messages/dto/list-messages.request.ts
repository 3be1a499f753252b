import { z } from 'zod';
import { EvmAddressSchema } from '../../http/schemas/evm-address.schema.js';
import { NetworkSchema } from '../../http/schemas/network.schema.js';
import { PageTokenSchema, pageSizeSchema, querySchema } from '../../http/schemas/query.schema.js';

export const PAGE_SIZES = { max: 100, default: 10 };

export const ListMessagesPathSchema = z.object({ address: EvmAddressSchema });
export type ListMessagesPath = z.output<typeof ListMessagesPathSchema>;

export const ListMessagesQuerySchema = querySchema({
  pageToken: PageTokenSchema,
  pageSize: pageSizeSchema(PAGE_SIZES),
  network: NetworkSchema.optional(),
});
export type ListMessagesQuery = z.output<typeof ListMessagesQuerySchema>;
