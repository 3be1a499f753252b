import { z } from 'zod';
import { IdHexSchema } from '../../http/schemas/hex.schema.js';
import { NetworkSchema } from '../../http/schemas/network.schema.js';
import {
  AddressesSchema,
  BooleanSchema,
  integerSchema,
  oneOfSchema,
  PageTokenSchema,
  pageSizeSchema,
  querySchema,
  SortOrderSchema,
} from '../../http/schemas/query.schema.js';
import { UTXO_SORT_KEYS } from '../utxo-list.js';

export const PAGE_SIZES = { max: 100, default: 10 };
const MAX_UINT64 = 2n ** 64n - 1n;

export const ListUtxosPathSchema = z.object({ network: NetworkSchema, blockchainId: z.string() });
export type ListUtxosPath = z.output<typeof ListUtxosPathSchema>;

export const ListUtxosQuerySchema = querySchema({
  addresses: AddressesSchema.optional(),
  pageToken: PageTokenSchema,
  pageSize: pageSizeSchema(PAGE_SIZES),
  assetId: IdHexSchema.optional(),
  minUtxoAmount: integerSchema({ min: 0n, max: MAX_UINT64 }).default(0n),
  includeSpent: BooleanSchema.default(false),
  sortBy: oneOfSchema(UTXO_SORT_KEYS).default('timestamp'),
  sortOrder: SortOrderSchema,
});

export type ListUtxosQuery = z.output<typeof ListUtxosQuerySchema>;
