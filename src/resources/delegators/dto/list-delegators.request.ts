import type { z } from 'zod';
import { listQuerySchema } from '../../../platform/http/pagination/page-sizes.js';
import {
  AddressesSchema,
  NodeIdsSchema,
  oneOfSchema,
  SortOrderSchema,
} from '../../../platform/http/schemas/query.schema.js';
import { DELEGATION_STATUSES } from '../delegator-list.js';

export const ListDelegatorsQuerySchema = listQuerySchema('delegators', {
  rewardAddresses: AddressesSchema.optional(),
  sortOrder: SortOrderSchema,
  delegationStatus: oneOfSchema(DELEGATION_STATUSES)
    .meta({ description: 'Only delegations with this status. Default: all.' })
    .optional(),
  nodeIds: NodeIdsSchema.optional(),
});

export type ListDelegatorsQuery = z.output<typeof ListDelegatorsQuerySchema>;
