import type { Id } from '../ids.js';
import type { OutputOwners } from '../output.js';
import { PRIMARY_NETWORK } from '../ids.js';
import type { DelegatorTx, Transaction, TxOf, ValidatorTx } from '../transaction.js';
import { advanceTime } from './advance-time.js';
import { type AvaxFlow, avaxOf, moveFunds, recordTransaction } from './execute-transaction.js';
import type { AutoRenewal, CycleOutcome, Delegator, RewardType, Validator } from './records.js';
import { splitReward } from './rewards.js';
import { completed } from './staker-status.js';
import { addStaker, promiseReward, toSeconds } from './stakers.js';
import { mismatch, type StateDiff } from './state-diff.js';

/**
 * A proposal, when its option block has decided (avalanchego v1.14.2 txs/executor/proposal_tx_executor.go): staker
 * transactions and the passing of time before Banff, rewards always.
 */
export function executeProposal(diff: StateDiff, transaction: Transaction, isCommitted: boolean): void {
  const { id, unsigned: tx } = transaction;
  let avax: AvaxFlow = { avaxSpent: 0n, burned: 0n };
  switch (tx.type) {
    case 'AddValidator':
    case 'AddDelegator':
    case 'AddSubnetValidator':
      avax = avaxOf(diff, moveFunds(diff, id, tx), tx);
      if (isCommitted) addStaker(diff, id, tx);
      else returnStake(diff, id, tx);
      break;
    case 'AdvanceTime':
      if (isCommitted) advanceTime(diff, toSeconds(tx.time));
      break;
    case 'RewardValidator':
      rewardStaker(diff, { stakerTxId: tx.stakerTxId, rewardTxId: id, isCommitted });
      break;
    case 'RewardAutoRenewedValidator':
      rewardAutoRenewed(diff, { tx, rewardTxId: id, isCommitted });
      break;
    default:
      throw mismatch(`${tx.type} is no proposal`);
  }
  recordTransaction(diff, id, tx, { isCommitted, ...avax });
}

/** The fee of an aborted staker transaction is still paid; what it would have staked becomes ordinary outputs again. */
function returnStake(diff: StateDiff, txId: Id, tx: ValidatorTx | DelegatorTx): void {
  if (!('stake' in tx)) return;
  tx.stake.forEach((output, i) => {
    const outputIndex = tx.outputs.length + i;
    diff.createUtxo({ txId, outputIndex, assetId: output.assetId, output });
  });
}

interface Decision {
  readonly rewardTxId: Id;
  readonly isCommitted: boolean;
}

function rewardStaker(diff: StateDiff, decision: Decision & { stakerTxId: Id }): void {
  const staker = diff.getStaker(decision.stakerTxId);
  if (staker.status !== 'active' || staker.end !== diff.time) {
    throw mismatch(`staker ${staker.txId} does not end at ${diff.time}`);
  }
  if (staker.kind === 'delegator') rewardDelegator(diff, staker, decision);
  else if (staker.isPermissioned) throw mismatch(`validator ${staker.txId} has no reward`);
  else rewardValidator(diff, staker, decision);
}

/** Reward and fees from delegations, in this order, behind the stake outputs; a refused reward leaves no gap. */
function rewardValidator(diff: StateDiff, validator: Validator, { rewardTxId, isCommitted }: Decision): void {
  const { validationRewardsOwner, delegationRewardsOwner, potentialReward, delegateeReward } = validator;
  const paidValidationReward = isCommitted ? potentialReward : 0n;
  payRewards(diff, { txId: validator.txId, firstIndex: validator.outputCount + validator.stakeOutputCount }, [
    {
      type: 'VALIDATOR',
      assetId: validator.stakeAssetId,
      owner: validationRewardsOwner,
      amount: paidValidationReward,
    },
    {
      type: 'VALIDATOR_FEE',
      assetId: validator.stakeAssetId,
      owner: delegationRewardsOwner,
      amount: delegateeReward,
    },
  ]);
  if (!isCommitted) diff.addToSupply(validator.subnetId, -potentialReward);
  endStake(diff, validator);
  diff.putStaker({
    ...completed(validator, { endTxId: rewardTxId, endedAt: diff.time }),
    paidValidationReward,
    paidDelegationReward: validator.paidDelegationReward + delegateeReward,
    delegateeReward: 0n,
  });
}

function rewardDelegator(diff: StateDiff, delegator: Delegator, { rewardTxId, isCommitted }: Decision): void {
  const { potentialReward, subnetId, nodeId } = delegator;
  const ended = completed(delegator, { endTxId: rewardTxId, endedAt: diff.time });
  endStake(diff, delegator);
  if (!isCommitted) {
    diff.addToSupply(subnetId, -potentialReward);
    diff.putStaker({ ...ended, isRewarded: false });
    return;
  }
  const validator = diff.getValidator(subnetId, nodeId);
  if (validator.shares === null) throw mismatch(`validator ${validator.txId} takes no delegations`);
  const { taken, left } = splitReward(potentialReward, validator.shares);
  const isDeferred = validator.start >= diff.base.rules.upgrades.cortina;
  const assetId = delegator.stakeAssetId;
  payRewards(diff, { txId: delegator.txId, firstIndex: delegator.outputCount + delegator.stakeOutputCount }, [
    { type: 'DELEGATOR', assetId, owner: delegator.rewardsOwner, amount: left },
    {
      type: 'VALIDATOR_FEE',
      assetId,
      owner: validator.delegationRewardsOwner,
      amount: isDeferred ? 0n : taken,
    },
  ]);
  diff.putStaker(
    isDeferred
      ? { ...validator, delegateeReward: validator.delegateeReward + taken }
      : { ...validator, paidDelegationReward: validator.paidDelegationReward + taken },
  );
  diff.putStaker({ ...ended, isRewarded: true, paidReward: left });
}

/**
 * The end of a cycle of a validator that renews itself (since Helicon; avalanchego v1.15.0
 * txs/executor/proposal_tx_executor.go, TxOf<'RewardAutoRenewedValidator'>). Rewards stand under the reward transaction, from
 * index 0 on, because the staker's id stays.
 */
function rewardAutoRenewed(
  diff: StateDiff,
  decision: Decision & { tx: TxOf<'RewardAutoRenewedValidator'> },
): void {
  const validator = diff.getStaker(decision.tx.stakerTxId);
  if (validator.kind !== 'validator' || validator.autoRenewal === null || validator.end !== diff.time) {
    throw mismatch(`staker ${validator.txId} has no cycle that ends at ${diff.time}`);
  }
  const { autoRenewal, potentialReward } = validator;
  if (!decision.isCommitted) diff.addToSupply(PRIMARY_NETWORK, -potentialReward);
  if (decision.isCommitted && autoRenewal.nextPeriod > 0) {
    renew(diff, validator, autoRenewal, decision.rewardTxId);
  } else {
    leave(diff, validator, autoRenewal, decision);
  }
}

function leave(diff: StateDiff, validator: Validator, autoRenewal: AutoRenewal, decision: Decision): void {
  const { accruedValidationRewards, accruedDelegateeRewards } = autoRenewal;
  const { rewardTxId, isCommitted } = decision;
  const withdrawn = {
    validation: isCommitted ? validator.potentialReward : 0n,
    delegation: validator.delegateeReward,
  };
  const validation = accruedValidationRewards + withdrawn.validation;
  const delegation = accruedDelegateeRewards + withdrawn.delegation;
  payCycle(diff, validator, { rewardTxId, validation, delegation });
  const outcome = isCommitted ? 'exited' : 'aborted';
  settleCycle(diff, validator, autoRenewal, { rewardTxId, outcome, withdrawn, compounded: NOTHING });
  endStake(diff, validator);
  diff.putStaker({
    ...completed(validator, { endTxId: rewardTxId, endedAt: diff.time }),
    delegateeReward: 0n,
    paidValidationReward: validator.paidValidationReward + validation,
    paidDelegationReward: validator.paidDelegationReward + delegation,
    autoRenewal: { ...autoRenewal, isAborted: !isCommitted },
  });
}

function renew(diff: StateDiff, validator: Validator, autoRenewal: AutoRenewal, rewardTxId: Id): void {
  const compounded = restakedRewards(diff, validator, autoRenewal);
  const validation = validator.potentialReward - compounded.validation;
  const delegation = validator.delegateeReward - compounded.delegation;
  const withdrawn = { validation, delegation };
  payCycle(diff, validator, { rewardTxId, validation, delegation });
  settleCycle(diff, validator, autoRenewal, { rewardTxId, outcome: 'renewed', withdrawn, compounded });
  const weight = validator.weight + compounded.validation + compounded.delegation;
  const start = validator.end;
  const end = start + autoRenewal.nextPeriod;
  const potentialReward = promiseReward(diff, { subnetId: PRIMARY_NETWORK, start, end, weight });
  diff.setStakeWindow(validator, { isStaked: true, start, end });
  diff.putStaker({
    ...validator,
    weight,
    start,
    end,
    potentialReward,
    delegateeReward: 0n,
    paidValidationReward: validator.paidValidationReward + validation,
    paidDelegationReward: validator.paidDelegationReward + delegation,
    autoRenewal: {
      ...autoRenewal,
      accruedValidationRewards: autoRenewal.accruedValidationRewards + compounded.validation,
      accruedDelegateeRewards: autoRenewal.accruedDelegateeRewards + compounded.delegation,
      cycleIndex: autoRenewal.cycleIndex + 1,
      earlierDelegatorCount: validator.totalDelegatorCount,
      earlierDelegatedWeight: validator.totalDelegatedWeight,
    },
  });
}

interface CycleRewards {
  readonly validation: bigint;
  readonly delegation: bigint;
}

const NOTHING: CycleRewards = { validation: 0n, delegation: 0n };

function settleCycle(
  diff: StateDiff,
  validator: Validator,
  { cycleIndex, autoCompoundShares, earlierDelegatorCount, earlierDelegatedWeight }: AutoRenewal,
  {
    rewardTxId,
    outcome,
    withdrawn,
    compounded,
  }: { rewardTxId: Id; outcome: CycleOutcome; withdrawn: CycleRewards; compounded: CycleRewards },
): void {
  const { txId, nodeId, start, end, weight } = validator;
  diff.settledCycles.push({
    txId,
    cycleIndex,
    nodeId,
    rewardTxId,
    start,
    end,
    weight,
    autoCompoundShares,
    outcome,
    withdrawnValidationReward: withdrawn.validation,
    compoundedValidationReward: compounded.validation,
    withdrawnDelegateeReward: withdrawn.delegation,
    compoundedDelegateeReward: compounded.delegation,
    delegatorCount: validator.totalDelegatorCount - earlierDelegatorCount,
    delegatedWeight: validator.totalDelegatedWeight - earlierDelegatedWeight,
  });
}

/** The amount that is staked again: the configured share, unless the validator would outgrow the largest stake. */
function restakedRewards(
  diff: StateDiff,
  validator: Validator,
  { autoCompoundShares }: AutoRenewal,
): CycleRewards {
  const validation = splitReward(validator.potentialReward, autoCompoundShares).taken;
  const delegation = splitReward(validator.delegateeReward, autoCompoundShares).taken;
  const total = validation + delegation;
  const capacity = diff.base.rules.maxValidatorStake - validator.weight;
  if (total <= capacity) return { validation, delegation };
  const fitting = (validation * capacity) / total;
  return { validation: fitting, delegation: capacity - fitting };
}

function payCycle(
  diff: StateDiff,
  validator: Validator,
  { rewardTxId, validation, delegation }: { rewardTxId: Id; validation: bigint; delegation: bigint },
): void {
  const { avaxAssetId: assetId } = diff.base.rules;
  payRewards(diff, { txId: rewardTxId, firstIndex: 0 }, [
    { type: 'VALIDATOR', assetId, owner: validator.validationRewardsOwner, amount: validation },
    { type: 'VALIDATOR_FEE', assetId, owner: validator.delegationRewardsOwner, amount: delegation },
  ]);
}

interface Reward {
  readonly type: RewardType;
  readonly assetId: Id;
  readonly owner: OutputOwners | null;
  readonly amount: bigint;
}

/** New outputs for what is not zero, numbered without gaps. */
function payRewards(diff: StateDiff, at: { txId: Id; firstIndex: number }, rewards: readonly Reward[]): void {
  let outputIndex = at.firstIndex;
  for (const { type, assetId, owner, amount } of rewards) {
    if (amount === 0n) continue;
    if (owner === null) throw mismatch(`a reward of ${at.txId} has no owner`);
    const output = { amount, stakeableLocktime: null, owners: owner };
    diff.createUtxo({ txId: at.txId, outputIndex, assetId, output, rewardType: type });
    outputIndex++;
  }
}

/** The stake is ordinary money again, under the ids it always had. */
function endStake(diff: StateDiff, staker: Validator | Delegator): void {
  diff.setStakeWindow(staker, { isStaked: false, start: staker.start, end: staker.end });
}
