import { z } from 'zod';
import { listQuerySchema } from '../../../platform/http/pagination/page-sizes.js';
import { NetworkSchema } from '../../../platform/http/schemas/network.schema.js';
import { NodeIdSchema, SortOrderSchema } from '../../../platform/http/schemas/query.schema.js';
import { ValidationStatusSchema } from './list-validators.request.js';

export const ListNodeValidationsPathSchema = z.object({ network: NetworkSchema, nodeId: NodeIdSchema });
export type ListNodeValidationsPath = z.output<typeof ListNodeValidationsPathSchema>;

export const ListNodeValidationsQuerySchema = listQuerySchema('validators', {
  sortOrder: SortOrderSchema,
  validationStatus: ValidationStatusSchema,
});
export type ListNodeValidationsQuery = z.output<typeof ListNodeValidationsQuerySchema>;
