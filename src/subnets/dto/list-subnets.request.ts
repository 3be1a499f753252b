import type { z } from 'zod';
import {
  PageTokenSchema,
  pageSizeSchema,
  querySchema,
  SortOrderSchema,
} from '../../http/schemas/query.schema.js';

export const PAGE_SIZES = { max: 10_000, default: 100 };

export const ListSubnetsQuerySchema = querySchema({
  pageToken: PageTokenSchema,
  pageSize: pageSizeSchema(PAGE_SIZES),
  sortOrder: SortOrderSchema,
});

export type ListSubnetsQuery = z.output<typeof ListSubnetsQuerySchema>;
