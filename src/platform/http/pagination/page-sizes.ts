import type { z } from 'zod';
import { PageTokenSchema, pageSizeSchema, querySchema } from '../schemas/query.schema.js';

/** Of every list, as the specification and the public API have them. */
const PAGE_SIZES = {
  subnets: { max: 10_000, default: 100 },
  blockchains: { max: 10_000, default: 100 },
  validators: { max: 100, default: 10 },
  l1Validators: { max: 100, default: 10 },
  cycles: { max: 100, default: 10 },
  delegators: { max: 100, default: 10 },
  rewards: { max: 100, default: 10 },
  stakingTransactions: { max: 100, default: 10 },
  utxos: { max: 100, default: 10 },
  messages: { max: 100, default: 10 },
  operations: { max: 100, default: 10 },
} as const;

/** The query of a list that comes in pages. */
export function listQuerySchema<const Shape extends z.core.$ZodLooseShape>(
  list: keyof typeof PAGE_SIZES,
  shape: Shape,
) {
  return querySchema({
    pageToken: PageTokenSchema,
    pageSize: pageSizeSchema(PAGE_SIZES[list]),
    ...shape,
  });
}
