import type { z } from 'zod';
import { IdHexSchema } from '../../http/schemas/hex.schema.js';
import {
  decimalSchema,
  integerSchema,
  MAX_DECIMAL_DIGITS,
  NodeIdPartsSchema,
  oneOfSchema,
  PageTokenSchema,
  pageSizeSchema,
  querySchema,
  scaleDecimal,
  SortOrderSchema,
} from '../../http/schemas/query.schema.js';
import { VALIDATION_STATUSES, VALIDATOR_SORT_KEYS } from '../validator-list.js';

export const PAGE_SIZES = { max: 100, default: 10 };
/** nAVAX; more than there will ever be cannot be delegated. */
export const MAX_DELEGATION_CAPACITY = 720_000_000_000_000_000n;
export const MAX_TIME_REMAINING_SECONDS = 2_147_483_647;
export const FEE_PERCENTAGES = { min: 2, max: 100 };
export const UPTIME_PERCENTAGES = { min: 0, max: 100 };

const CapacitySchema = integerSchema({ min: 0n, max: MAX_DELEGATION_CAPACITY }).optional();
const TimeRemainingSchema = decimalSchema({ min: 0, max: MAX_TIME_REMAINING_SECONDS }).optional();
const FeePercentageSchema = decimalSchema(FEE_PERCENTAGES).optional();
const UptimeSchema = decimalSchema(UPTIME_PERCENTAGES).optional();

/** Bounds that are left out filter nothing; the percentages that the specification prints describe the widest use. */
export const ListValidatorsQuerySchema = querySchema({
  pageToken: PageTokenSchema,
  pageSize: pageSizeSchema(PAGE_SIZES),
  nodeIds: NodeIdPartsSchema.optional(),
  sortBy: oneOfSchema(VALIDATOR_SORT_KEYS).default('blockIndex'),
  sortOrder: SortOrderSchema,
  validationStatus: oneOfSchema(VALIDATION_STATUSES).optional(),
  minDelegationCapacity: CapacitySchema,
  maxDelegationCapacity: CapacitySchema,
  minTimeRemaining: TimeRemainingSchema,
  maxTimeRemaining: TimeRemainingSchema,
  minFeePercentage: FeePercentageSchema,
  maxFeePercentage: FeePercentageSchema,
  minUptimePerformance: UptimeSchema,
  maxUptimePerformance: UptimeSchema,
  subnetId: IdHexSchema.optional(),
}).superRefine((query, context) => {
  for (const bound of [
    'DelegationCapacity',
    'TimeRemaining',
    'FeePercentage',
    'UptimePerformance',
  ] as const) {
    const min = query[`min${bound}`];
    const max = query[`max${bound}`];
    if (min === undefined || max === undefined || exactly(min) <= exactly(max)) continue;
    context.addIssue({ code: 'custom', message: `min${bound} must not be above max${bound}` });
  }
});

/** Comparable without loss, what a double would round included. */
function exactly(bound: bigint | string): bigint {
  return typeof bound === 'bigint' ? bound : scaleDecimal(bound, MAX_DECIMAL_DIGITS, 'down');
}

export type ListValidatorsQuery = z.output<typeof ListValidatorsQuerySchema>;
