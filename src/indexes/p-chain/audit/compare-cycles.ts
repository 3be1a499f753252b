import type { SettledCycle, Validator } from '../../../avalanche/platformvm/state/records.js';
import { isOver } from '../../../avalanche/platformvm/state/staker-status.js';
import type { UnsignedTx } from '../../../avalanche/platformvm/transaction.js';
import type { Differences } from '../../engine/audit/differences.js';

/**
 * The settled cycles of a validation, in order, against what they add up to in it; what has not ended is compared with the node itself
 * besides.
 */
export function compareCycles(
  differences: Differences,
  validator: Validator,
  cycles: readonly SettledCycle[],
): void {
  const { autoRenewal } = validator;
  if (autoRenewal === null) return;
  const hasEnded = isOver(validator);
  const compare = (field: string, ofCycles: bigint, ofValidation: bigint): void =>
    differences.compare(`cycles of ${validator.txId}: ${field}`, ofCycles, ofValidation);
  const sum = (amountOf: (cycle: SettledCycle) => bigint): bigint =>
    cycles.reduce((total, cycle) => total + amountOf(cycle), 0n);
  const validation = sum(({ compoundedValidationReward }) => compoundedValidationReward);
  const delegation = sum(({ compoundedDelegateeReward }) => compoundedDelegateeReward);
  compare('number', BigInt(cycles.length), BigInt(autoRenewal.cycleIndex - (hasEnded ? 0 : 1)));
  compare('restaked validation rewards', validation, autoRenewal.accruedValidationRewards);
  compare('restaked delegation rewards', delegation, autoRenewal.accruedDelegateeRewards);
  // The last one pays back what was restaked.
  compare(
    'paid validation rewards',
    sum(({ withdrawnValidationReward }) => withdrawnValidationReward) + (hasEnded ? validation : 0n),
    validator.paidValidationReward,
  );
  compare(
    'paid delegation rewards',
    sum(({ withdrawnDelegateeReward }) => withdrawnDelegateeReward) + (hasEnded ? delegation : 0n),
    validator.paidDelegationReward,
  );
  compare(
    'number of delegations',
    sum(({ delegatorCount }) => BigInt(delegatorCount)),
    BigInt(hasEnded ? validator.totalDelegatorCount : autoRenewal.earlierDelegatorCount),
  );
  compare(
    'delegated weight',
    sum(({ delegatedWeight }) => delegatedWeight),
    hasEnded ? validator.totalDelegatedWeight : autoRenewal.earlierDelegatedWeight,
  );
  for (const [i, cycle] of cycles.entries()) compareWithNext(differences, cycle, cycles[i + 1] ?? validator);
}

/** `next`: the cycle that runs, or the whole validation, which ends with its last cycle. */
function compareWithNext(
  differences: Differences,
  cycle: SettledCycle,
  next: SettledCycle | Validator,
): void {
  const what = `cycle ${cycle.cycleIndex} of ${cycle.txId}`;
  const isLast = cycle.outcome !== 'renewed';
  const restaked = cycle.compoundedValidationReward + cycle.compoundedDelegateeReward;
  differences.compare(`${what}: node`, cycle.nodeId, next.nodeId);
  differences.compare(`${what}: weight at the end`, cycle.weight + restaked, next.weight);
  differences.compare(`${what}: end`, cycle.end, isLast ? next.end : next.start);
}

/** A cycle against the transaction that settled it, as the node has it. */
export function compareSettlement(
  differences: Differences,
  cycle: SettledCycle,
  tx: UnsignedTx | undefined,
): void {
  const settled = tx?.type === 'RewardAutoRenewedValidator' ? tx : undefined;
  const what = `cycle ${cycle.cycleIndex} of ${cycle.txId}`;
  differences.compare(`${what}: settled validation`, cycle.txId, settled?.stakerTxId);
  differences.compare(`${what}: settled end`, BigInt(cycle.end), settled?.timestamp);
}
