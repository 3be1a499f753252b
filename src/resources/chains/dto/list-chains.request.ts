import type { z } from 'zod';
import { NetworkSchema } from '../../../platform/http/schemas/network.schema.js';
import { querySchema } from '../../../platform/http/schemas/query.schema.js';

export const ListChainsQuerySchema = querySchema({
  network: NetworkSchema.meta({
    description:
      'Only the chains of this network. Default: all networks. `testnet` is another name for `fuji`.',
  }).optional(),
});

export type ListChainsQuery = z.output<typeof ListChainsQuerySchema>;
