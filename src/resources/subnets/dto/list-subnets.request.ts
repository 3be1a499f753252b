import type { z } from 'zod';
import { listQuerySchema } from '../../../platform/http/pagination/page-sizes.js';
import { SortOrderSchema } from '../../../platform/http/schemas/query.schema.js';

export const ListSubnetsQuerySchema = listQuerySchema('subnets', { sortOrder: SortOrderSchema });

export type ListSubnetsQuery = z.output<typeof ListSubnetsQuerySchema>;
