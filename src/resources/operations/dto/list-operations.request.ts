import type { z } from 'zod';
import { listQuerySchema } from '../../../platform/http/pagination/page-sizes.js';

export const ListOperationsQuerySchema = listQuerySchema('operations', {});
export type ListOperationsQuery = z.output<typeof ListOperationsQuerySchema>;
