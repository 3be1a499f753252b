import { z } from 'zod';
import { listQuerySchema } from '../../../platform/http/pagination/page-sizes.js';
import { IdHexSchema } from '../../../platform/http/schemas/hex.schema.js';
import { NetworkSchema } from '../../../platform/http/schemas/network.schema.js';
import { NodeIdSchema, SortOrderSchema } from '../../../platform/http/schemas/query.schema.js';

export const ListCyclesPathSchema = z.object({ network: NetworkSchema, nodeId: NodeIdSchema });
export type ListCyclesPath = z.output<typeof ListCyclesPathSchema>;

export const ListCyclesQuerySchema = listQuerySchema('cycles', {
  txHash: IdHexSchema.meta({
    description:
      'Only cycles of the validation that this transaction added, hex or cb58. Default: all of the node.',
  }).optional(),
  sortOrder: SortOrderSchema,
});
export type ListCyclesQuery = z.output<typeof ListCyclesQuerySchema>;
