import { ApiQueryParameters, PAGING, SORT_ORDER } from '../../http/api-parameters.decorator.js';
import { VALIDATION_STATUSES, VALIDATOR_SORT_KEYS } from '../validator-list.js';
import {
  FEE_PERCENTAGES,
  MAX_DELEGATION_CAPACITY,
  MAX_TIME_REMAINING_SECONDS,
  PAGE_SIZES,
  UPTIME_PERCENTAGES,
} from './list-validators.request.js';

const capacity = {
  type: 'string',
  description: `nAVAX, 0 to ${MAX_DELEGATION_CAPACITY}. With it, only active and pending validations that can be delegated to are returned.`,
} as const;
const timeRemaining = {
  type: 'number',
  minimum: 0,
  maximum: MAX_TIME_REMAINING_SECONDS,
  description:
    'Seconds to the end of active and pending validations, of those that renew themselves to the end of their period; 0 when the end has passed. Ended validations have no time remaining: with any bound, none of them is returned.',
} as const;
const fee = {
  type: 'number',
  minimum: FEE_PERCENTAGES.min,
  maximum: FEE_PERCENTAGES.max,
  description: 'Percent. With it, no subnet validations are returned.',
} as const;
const uptime = {
  type: 'number',
  minimum: UPTIME_PERCENTAGES.min,
  maximum: UPTIME_PERCENTAGES.max,
  description: 'Percent. With it, only active validations whose uptime is known are returned.',
} as const;

export const ApiListValidatorsQuery = (): MethodDecorator =>
  ApiQueryParameters({
    ...PAGING(PAGE_SIZES),
    nodeIds: { type: 'string', description: 'Parts of node ids, comma-separated; any of them fits.' },
    sortBy: {
      type: 'string',
      enum: [...VALIDATOR_SORT_KEYS],
      default: 'blockIndex',
      description:
        'delegationFee needs mainnet and subnetId 11111111111111111111111111111111LpoYY. Rows without the key come last in either order: ended validations have no timeRemaining and no delegationCapacity, and active ones alone have an uptimePerformance.',
    },
    ...SORT_ORDER,
    validationStatus: { type: 'string', enum: [...VALIDATION_STATUSES] },
    minDelegationCapacity: capacity,
    maxDelegationCapacity: capacity,
    minTimeRemaining: timeRemaining,
    maxTimeRemaining: timeRemaining,
    minFeePercentage: fee,
    maxFeePercentage: fee,
    minUptimePerformance: uptime,
    maxUptimePerformance: uptime,
    subnetId: { type: 'string', description: 'Default: all subnets.' },
  });
