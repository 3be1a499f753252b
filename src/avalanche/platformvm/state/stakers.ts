import { PRIMARY_NETWORK, type Id } from '../ids.js';
import type { TransferableOutput } from '../output.js';
import type { DelegatorTx, StakerTx, ValidatorTx } from '../transaction.js';
import type { Delegator, StakeWindow, Staker, Validator } from './records.js';
import { calculateReward, primaryRewardConfig, type RewardConfig } from './rewards.js';
import { started, type StakerStatus, statusOfNew } from './staker-status.js';
import { mismatch, type StateDiff } from './state-diff.js';

/** A uint64 of seconds as a number. Throws STATE_MISMATCH for what no accepted transaction can hold. */
export function toSeconds(seconds: bigint): number {
  if (seconds > BigInt(Number.MAX_SAFE_INTEGER)) throw mismatch(`${seconds} is no time`);
  return Number(seconds);
}

/**
 * Adds the staker of a transaction, and its stake outputs. Before Durango it waits for the start that the transaction
 * names; since then it starts with the block (avalanchego v1.14.2 txs/executor/standard_tx_executor.go, putStaker).
 */
export function addStaker(
  diff: StateDiff,
  txId: Id,
  tx: StakerTx,
  { startsAtOnce = tx.type === 'AddAutoRenewedValidator' || isDurango(diff) } = {},
): void {
  const made = makeStaker(diff, txId, tx, statusOfNew({ startsAtOnce }));
  const staker = startsAtOnce ? withPotentialReward(diff, made) : made;
  diff.putStaker(staker);
  diff.noteStakingTransaction(txId, tx);
  if (tx.type !== 'AddSubnetValidator') createStakeOutputs(diff, staker, tx.stake);
}

function isDurango({ time, base }: StateDiff): boolean {
  return time >= base.rules.upgrades.durango;
}

/** A waiting staker starts; its reward follows from the supply at this moment. */
export function startStaker(diff: StateDiff, staker: Staker): void {
  diff.putStaker(withPotentialReward(diff, started(staker)));
}

function hasPermissionlessStake(staker: Staker): boolean {
  return staker.kind === 'delegator' || !staker.isPermissioned;
}

/** Parameters of the reward of a stake that starts now. */
function rewardConfigOf(diff: StateDiff, subnetId: Id, start: number): RewardConfig {
  const { rewards, upgrades } = diff.base.rules;
  if (subnetId === PRIMARY_NETWORK) return primaryRewardConfig(rewards, { start, helicon: upgrades.helicon });
  const { transformation } = diff.getSubnet(subnetId);
  if (transformation === null) throw mismatch(`subnet ${subnetId} has no permissionless staking`);
  const { minConsumptionRate, maxConsumptionRate, maximumSupply } = transformation;
  return { minConsumptionRate, maxConsumptionRate, supplyCap: maximumSupply };
}

/** Promises a reward for a stake and adds it to the supply, as if it were certain. */
export function promiseReward(
  diff: StateDiff,
  stake: { subnetId: Id; start: number; end: number; weight: bigint },
): bigint {
  const { subnetId, start, end, weight } = stake;
  const supply = diff.getSupply(subnetId);
  const config = rewardConfigOf(diff, subnetId, start);
  const reward = calculateReward(config, { seconds: end - start, amount: weight, supply });
  diff.addToSupply(subnetId, reward);
  return reward;
}

function withPotentialReward<T extends Staker>(diff: StateDiff, staker: T): T {
  if (!hasPermissionlessStake(staker)) return staker;
  return { ...staker, potentialReward: promiseReward(diff, staker) };
}

function createStakeOutputs(diff: StateDiff, staker: Staker, stake: readonly TransferableOutput[]): void {
  const window: StakeWindow = { isStaked: true, start: staker.start, end: staker.end };
  stake.forEach((output, i) => {
    diff.createUtxo({
      txId: staker.txId,
      outputIndex: staker.outputCount + i,
      assetId: output.assetId,
      output,
      stake: window,
    });
  });
}

function makeStaker(diff: StateDiff, txId: Id, tx: StakerTx, status: StakerStatus): Staker {
  switch (tx.type) {
    case 'AddDelegator':
    case 'AddPermissionlessDelegator':
      return makeDelegator(diff, txId, tx, status);
    default:
      return makeValidator(diff, txId, tx, status);
  }
}

function makeDelegator(diff: StateDiff, txId: Id, tx: DelegatorTx, status: StakerStatus): Delegator {
  const common = commonFields(diff, txId, tx, status);
  const validator = diff.getValidator(common.subnetId, common.nodeId);
  if (validator.shares === null) throw mismatch(`validator ${validator.txId} takes no delegations`);
  return {
    ...common,
    kind: 'delegator',
    txType: tx.type,
    validatorTxId: validator.txId,
    shares: validator.shares,
    rewardsOwner: tx.rewardsOwner,
    paidReward: 0n,
    isRewarded: null,
  };
}

function makeValidator(diff: StateDiff, txId: Id, tx: ValidatorTx, status: StakerStatus): Validator {
  const owners = rewardOwners(tx);
  return {
    ...commonFields(diff, txId, tx, status),
    kind: 'validator',
    isPermissioned: tx.type === 'AddSubnetValidator',
    txType: tx.type,
    signer:
      tx.type === 'AddPermissionlessValidator' || tx.type === 'AddAutoRenewedValidator' ? tx.signer : null,
    validationRewardsOwner: owners?.validation ?? null,
    delegationRewardsOwner: owners?.delegation ?? null,
    shares: tx.type === 'AddSubnetValidator' ? null : tx.shares,
    delegateeReward: 0n,
    paidValidationReward: 0n,
    paidDelegationReward: 0n,
    delegatedWeight: 0n,
    delegatorCount: 0,
    totalDelegatedWeight: 0n,
    totalDelegatorCount: 0,
    autoRenewal:
      tx.type === 'AddAutoRenewedValidator'
        ? {
            authority: tx.validatorAuthority,
            nextPeriod: toSeconds(tx.period),
            autoCompoundShares: tx.autoCompoundShares,
            accruedValidationRewards: 0n,
            accruedDelegateeRewards: 0n,
            cycleIndex: 1,
            earlierDelegatorCount: 0,
            earlierDelegatedWeight: 0n,
            isAborted: false,
          }
        : null,
  };
}

function rewardOwners(tx: ValidatorTx) {
  switch (tx.type) {
    case 'AddSubnetValidator':
      return null;
    case 'AddValidator':
      return { validation: tx.rewardsOwner, delegation: tx.rewardsOwner };
    default:
      return { validation: tx.validationRewardsOwner, delegation: tx.delegationRewardsOwner };
  }
}

function commonFields(diff: StateDiff, txId: Id, tx: StakerTx, status: StakerStatus) {
  const stake = tx.type === 'AddSubnetValidator' ? [] : tx.stake;
  return {
    txId,
    subnetId: 'subnetId' in tx ? tx.subnetId : PRIMARY_NETWORK,
    status,
    ...windowFields(diff, tx, status),
    blockHeight: diff.blockHeight,
    blockTime: diff.time,
    potentialReward: 0n,
    stakeAssetId: stake[0]?.assetId ?? PRIMARY_NETWORK,
    outputCount: tx.outputs.length,
    stakeOutputCount: stake.length,
    endTxId: null,
    endedAt: null,
  };
}

function windowFields(diff: StateDiff, tx: StakerTx, status: StakerStatus) {
  if (tx.type === 'AddAutoRenewedValidator') {
    const weight = tx.stake.reduce((sum, { amount }) => sum + amount, 0n);
    return { nodeId: tx.nodeId, weight, start: diff.time, end: diff.time + toSeconds(tx.period) };
  }
  const { nodeId, weight, start, end } = tx.validator;
  return {
    nodeId,
    weight,
    start: status === 'pending' ? toSeconds(start) : diff.time,
    end: toSeconds(end),
  };
}
