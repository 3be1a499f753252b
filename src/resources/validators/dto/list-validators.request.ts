import type { z } from 'zod';
import { PRIMARY_NETWORK_ID } from '../../../avalanche/ids/id.js';
import { IdHexSchema } from '../../../platform/http/schemas/hex.schema.js';
import { listQuerySchema } from '../../../platform/http/pagination/page-sizes.js';
import {
  decimalSchema,
  integerSchema,
  MAX_DECIMAL_DIGITS,
  NodeIdPartsSchema,
  oneOfSchema,
  scaleDecimal,
  SortOrderSchema,
} from '../../../platform/http/schemas/query.schema.js';
import { VALIDATION_STATUSES, VALIDATOR_SORT_KEYS } from '../validator-list.js';

/** nAVAX; more than there will ever be cannot be delegated. */
const MAX_DELEGATION_CAPACITY = 720_000_000_000_000_000n;
const MAX_TIME_REMAINING_SECONDS = 2_147_483_647;

const CapacitySchema = integerSchema({ min: 0n, max: MAX_DELEGATION_CAPACITY })
  .meta({
    description: `nAVAX (10⁻⁹ AVAX), at most ${MAX_DELEGATION_CAPACITY}. If omitted, it filters nothing; if present, only active and pending validations that accept delegations are listed, whatever the bound.`,
  })
  .optional();
const TimeRemainingSchema = decimalSchema({ min: 0, max: MAX_TIME_REMAINING_SECONDS })
  .meta({
    description:
      'Seconds to the end of active and pending validations, or of the current cycle if they are auto-renewed; 0 if the ' +
      'end has passed. If omitted, it filters nothing; ended validations have no time remaining, so none of them is listed with any bound.',
  })
  .optional();
const FeePercentageSchema = decimalSchema({ min: 2, max: 100 })
  .meta({
    description:
      'Percentage. If omitted, it filters nothing; with any bound, no subnet validations are listed.',
  })
  .optional();
const UptimeSchema = decimalSchema({ min: 0, max: 100 })
  .meta({
    description:
      'Percentage. If omitted, it filters nothing; with any bound, including 0 and 100, only active validations with a known uptime are listed.',
  })
  .optional();

export const ValidationStatusSchema = oneOfSchema(VALIDATION_STATUSES)
  .meta({ description: 'Only validations with this status. Default: all.' })
  .optional();

/** Bounds that are left out filter nothing; the percentages that the specification prints describe the widest use. */
export const ListValidatorsQuerySchema = listQuerySchema('validators', {
  nodeIds: NodeIdPartsSchema.optional(),
  sortBy: oneOfSchema(VALIDATOR_SORT_KEYS)
    .meta({
      description:
        `\`blockIndex\`: by the block in which the validation was added. \`delegationFee\` requires mainnet and subnetId ${PRIMARY_NETWORK_ID}. ` +
        'Rows without the key come last in either order: ended validations have no timeRemaining and no delegationCapacity, and ' +
        'only active ones have an uptimePerformance.',
    })
    .default('blockIndex'),
  sortOrder: SortOrderSchema,
  validationStatus: ValidationStatusSchema,
  minDelegationCapacity: CapacitySchema,
  maxDelegationCapacity: CapacitySchema,
  minTimeRemaining: TimeRemainingSchema,
  maxTimeRemaining: TimeRemainingSchema,
  minFeePercentage: FeePercentageSchema,
  maxFeePercentage: FeePercentageSchema,
  minUptimePerformance: UptimeSchema,
  maxUptimePerformance: UptimeSchema,
  subnetId: IdHexSchema.meta({
    description: 'Only validations of this subnet, hex or cb58. Default: all subnets.',
    example: PRIMARY_NETWORK_ID,
  }).optional(),
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
