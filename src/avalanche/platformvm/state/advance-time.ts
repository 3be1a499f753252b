import type { L1Validator, Staker } from './records.js';
import { PRIMARY_NETWORK } from '../ids.js';
import { completed } from './staker-status.js';
import { startStaker } from './stakers.js';
import { mismatch, type StateDiff } from './state-diff.js';
import { advanceExcess, validatorCost } from './validator-fee.js';

/**
 * Moves the chain's time (avalanchego v1.14.2 txs/executor/state_changes.go, advanceTimeTo): waiting stakers start,
 * permissioned validators whose time is over leave, L1 validators pay. Comes before everything else in a block.
 */
export function advanceTime(diff: StateDiff, time: number): void {
  const seconds = time - diff.time;
  if (seconds < 0) throw mismatch(`time goes back from ${diff.time} to ${time}`);
  diff.time = time;
  const starting = diff.base.pendingStakersStartingBy(time).sort(byTurn);
  for (const staker of starting) startStaker(diff, staker);
  for (const validator of diff.base.permissionedValidatorsEndingBy(time)) {
    diff.putStaker(completed(validator, { endedAt: time }));
  }
  if (time >= diff.base.rules.upgrades.etna) chargeL1Validators(diff, BigInt(seconds));
}

/** L1 validators that could not pay for the next second leave right away (block/executor/verifier.go). */
export function deactivatePoorL1Validators(diff: StateDiff): void {
  const next = diff.accruedFees + validatorCost(diff.base.rules.validatorFee, feeState(diff), 1n);
  // Exactly enough for the next second is enough.
  deactivate(diff, diff.l1ValidatorsEndingBy(next - 1n));
}

function chargeL1Validators(diff: StateDiff, seconds: bigint): void {
  const { validatorFee } = diff.base.rules;
  const state = feeState(diff);
  diff.accruedFees += validatorCost(validatorFee, state, seconds);
  diff.validatorExcess = advanceExcess(validatorFee, state, seconds);
  deactivate(diff, diff.l1ValidatorsEndingBy(diff.accruedFees));
}

function feeState(diff: StateDiff): { excess: bigint; activeValidators: bigint } {
  return { excess: diff.validatorExcess, activeValidators: diff.activeL1Validators };
}

function deactivate(diff: StateDiff, validators: readonly L1Validator[]): void {
  for (const validator of validators) diff.putL1Validator({ ...validator, endAccumulatedFee: 0n });
}

/** The order in which waiting stakers start; it matters, because each reward lowers the next (state/staker.go, Less). */
function byTurn(a: Staker, b: Staker): number {
  return a.start - b.start || priority(a) - priority(b) || (a.txId < b.txId ? -1 : 1);
}

/** Place of a kind of staker among those that start at the same second (txs/priorities.go). */
function priority(staker: Staker): number {
  if (staker.txType === 'AddDelegator') return 1;
  if (staker.kind === 'validator' && staker.isPermissioned) return 6;
  const isPrimary = staker.subnetId === PRIMARY_NETWORK;
  if (staker.kind === 'validator') return isPrimary ? 2 : 4;
  return isPrimary ? 3 : 5;
}
