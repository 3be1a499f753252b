import { z } from 'zod';
import { PRIMARY_NETWORK_ID } from '../../../avalanche/ids/id.js';
import { listQuerySchema } from '../../../platform/http/pagination/page-sizes.js';
import { IdHexSchema } from '../../../platform/http/schemas/hex.schema.js';
import { NetworkSchema } from '../../../platform/http/schemas/network.schema.js';
import { SortOrderSchema } from '../../../platform/http/schemas/query.schema.js';

export const ListSubnetsQuerySchema = listQuerySchema('subnets', { sortOrder: SortOrderSchema });

export type ListSubnetsQuery = z.output<typeof ListSubnetsQuerySchema>;

export const GetSubnetPathSchema = z.object({
  network: NetworkSchema,
  subnetId: IdHexSchema.meta({
    description: 'Id of the subnet, hex or cb58.',
    example: PRIMARY_NETWORK_ID,
  }),
});
export type GetSubnetPath = z.output<typeof GetSubnetPathSchema>;
