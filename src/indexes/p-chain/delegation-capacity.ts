import { greatest, least } from '../../avalanche/bigints.js';
import { PRIMARY_NETWORK } from '../../avalanche/platformvm/ids.js';
import type { Subnet, Validator } from '../../avalanche/platformvm/state/records.js';

/** Of the primary network (avalanchego v1.14.2 vms/platformvm/txs/executor/backend.go, Apricot Phase 3 rules; equal on all networks). */
const PRIMARY_LIMITS = { weightFactor: 5n, maxStake: 3_000_000n * 1_000_000_000n };

/**
 * How much more may be delegated to a validator from now to its end, in the smallest unit of its stake.
 * Null for validators that accept no delegations: over, or without stake of their own.
 */
export function delegationCapacity(validator: Validator, subnet: Subnet | undefined): bigint | null {
  const { status, weight, delegatedWeight, isPermissioned } = validator;
  if (isPermissioned || (status !== 'active' && status !== 'pending')) return null;
  const limits = limitsOf(validator, subnet);
  if (limits === null) return null;
  const byWeight = limits.weightFactor * weight;
  const maxWeight = least(byWeight, limits.maxStake);
  return greatest(maxWeight - weight - delegatedWeight, 0n);
}

function limitsOf({ subnetId }: Validator, subnet: Subnet | undefined): typeof PRIMARY_LIMITS | null {
  if (subnetId === PRIMARY_NETWORK) return PRIMARY_LIMITS;
  const transformation = subnet?.transformation ?? null;
  if (transformation === null) return null;
  const { maxValidatorWeightFactor, maxValidatorStake } = transformation;
  return { weightFactor: BigInt(maxValidatorWeightFactor), maxStake: maxValidatorStake };
}
