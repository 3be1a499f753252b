import type { z } from 'zod';
import { listQuerySchema } from '../../../platform/http/pagination/page-sizes.js';
import {
  AddressesSchema,
  NodeIdsSchema,
  SortOrderSchema,
} from '../../../platform/http/schemas/query.schema.js';

export const ListRewardsQuerySchema = listQuerySchema('rewards', {
  addresses: AddressesSchema.optional(),
  nodeIds: NodeIdsSchema.optional(),
  sortOrder: SortOrderSchema,
});

export type ListRewardsQuery = z.output<typeof ListRewardsQuerySchema>;
