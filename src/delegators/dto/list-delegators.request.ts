import type { z } from 'zod';
import {
  AddressesSchema,
  NodeIdsSchema,
  oneOfSchema,
  PageTokenSchema,
  pageSizeSchema,
  querySchema,
  SortOrderSchema,
} from '../../http/schemas/query.schema.js';
import { DELEGATION_STATUSES } from '../delegator-list.js';

export const PAGE_SIZES = { max: 100, default: 10 };

export const ListDelegatorsQuerySchema = querySchema({
  pageToken: PageTokenSchema,
  pageSize: pageSizeSchema(PAGE_SIZES),
  rewardAddresses: AddressesSchema.optional(),
  sortOrder: SortOrderSchema,
  delegationStatus: oneOfSchema(DELEGATION_STATUSES).optional(),
  nodeIds: NodeIdsSchema.optional(),
});

export type ListDelegatorsQuery = z.output<typeof ListDelegatorsQuerySchema>;
