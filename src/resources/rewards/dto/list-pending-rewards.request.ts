import type { z } from 'zod';
import { listQuerySchema } from '../../../platform/http/pagination/page-sizes.js';
import {
  AddressesSchema,
  NodeIdsSchema,
  SortOrderSchema,
} from '../../../platform/http/schemas/query.schema.js';

export const ListPendingRewardsQuerySchema = listQuerySchema('rewards', {
  addresses: AddressesSchema.optional(),
  nodeIds: NodeIdsSchema.optional(),
  sortOrder: SortOrderSchema,
});

export type ListPendingRewardsQuery = z.output<typeof ListPendingRewardsQuerySchema>;
