import { PlatformVmError } from '../platformvm.error.js';
import { utxoId } from '../utxo-id.js';
import { PRIMARY_NETWORK, type Id, type ShortId } from '../ids.js';
import type { Output } from '../output.js';
import { CollectedChanges, type StateChanges } from './changes.js';
import { type ReadonlyPChainState, validatorKey } from './p-chain-state.js';
import type {
  ConsumedUtxo,
  Delegator,
  L1Validator,
  RewardType,
  StakeWindow,
  Staker,
  Subnet,
  SubnetStake,
  Validator,
} from './records.js';
import { isOver } from './staker-status.js';

/** The block that things happen in. */
export interface BlockPosition {
  readonly height: bigint;
  readonly blockId: Id;
}

/**
 * A state as it is in the middle of a block: what the block changed so far, over the state before it. Reading sees both;
 * writing leaves the state alone.
 */
export class StateDiff extends CollectedChanges {
  time: number;
  accruedFees: bigint;
  validatorExcess: bigint;
  private activeL1Count: number;
  /** By validatorKey; null where the validation of the state before ended. */
  private readonly validatorIds = new Map<string, Id | null>();

  constructor(
    readonly base: ReadonlyPChainState,
    /** Height of the block whose transactions are executed: a proposal's, also when its option decides. */
    readonly blockHeight: bigint,
  ) {
    super();
    this.time = base.tip.time;
    this.accruedFees = base.tip.accruedFees;
    this.validatorExcess = base.tip.validatorExcess;
    this.activeL1Count = base.activeL1ValidatorCount;
  }

  get activeL1Validators(): bigint {
    return BigInt(this.activeL1Count);
  }

  /** The changes as the block `position` leaves them. */
  finish(position: BlockPosition): StateChanges {
    const { time, accruedFees, validatorExcess } = this;
    return this.endingAt({ ...position, time, accruedFees, validatorExcess });
  }

  /** A staker that runs or waits. Throws STATE_MISMATCH. */
  getStaker(txId: Id): Staker {
    const staker = this.stakers.get(txId) ?? this.base.getStaker(txId);
    if (staker === undefined || isOver(staker)) throw mismatch(`no running staker ${txId}`);
    return staker;
  }

  /** The running or waiting validation of a node. Throws STATE_MISMATCH. */
  getValidator(subnetId: Id, nodeId: ShortId): Validator {
    const key = validatorKey(subnetId, nodeId);
    const changed = this.validatorIds.get(key);
    const txId = changed === undefined ? this.base.findValidatorId(key) : changed;
    if (txId === undefined || txId === null) {
      throw mismatch(`node ${nodeId} does not validate subnet ${subnetId}`);
    }
    const staker = this.getStaker(txId);
    if (staker.kind !== 'validator') throw mismatch(`staker ${txId} is no validator`);
    return staker;
  }

  /** Writes a staker and keeps the weight of its subnet and the sums of its validator. */
  putStaker(staker: Staker): void {
    const before = this.stakers.get(staker.txId) ?? this.base.getStaker(staker.txId);
    this.stakers.set(staker.txId, staker);
    const gained = activeWeight(staker) - activeWeight(before);
    if (gained !== 0n) {
      const stake = this.getStake(staker.subnetId);
      this.putStake({ ...stake, totalWeight: stake.totalWeight + gained });
    }
    if (staker.kind === 'delegator') {
      this.countDelegation(staker, before);
      return;
    }
    this.validatorIds.set(validatorKey(staker.subnetId, staker.nodeId), isOver(staker) ? null : staker.txId);
  }

  getStake(subnetId: Id): SubnetStake {
    return (
      this.stakes.get(subnetId) ?? this.base.getStake(subnetId) ?? { subnetId, supply: null, totalWeight: 0n }
    );
  }

  putStake(stake: SubnetStake): void {
    this.stakes.set(stake.subnetId, stake);
  }

  getSupply(subnetId: Id): bigint {
    const { supply } = this.getStake(subnetId);
    if (supply === null) throw mismatch(`subnet ${subnetId} has no staking asset`);
    return supply;
  }

  addToSupply(subnetId: Id, amount: bigint): void {
    const stake = this.getStake(subnetId);
    this.putStake({ ...stake, supply: this.getSupply(subnetId) + amount });
  }

  /** Throws STATE_MISMATCH. */
  getSubnet(subnetId: Id): Subnet {
    const subnet = this.subnets.get(subnetId) ?? this.base.getSubnet(subnetId);
    if (subnet === undefined) throw mismatch(`no subnet ${subnetId}`);
    return subnet;
  }

  putSubnet(subnet: Subnet): void {
    this.subnets.set(subnet.subnetId, subnet);
  }

  /** Throws STATE_MISMATCH for one that does not exist or was removed. */
  getL1Validator(validationId: Id): L1Validator {
    const validator = this.l1Validators.get(validationId) ?? this.base.getL1Validator(validationId);
    if (validator === undefined || validator.weight === 0n) {
      throw mismatch(`no L1 validator ${validationId}`);
    }
    return validator;
  }

  putL1Validator(validator: L1Validator): void {
    const before =
      this.l1Validators.get(validator.validationId) ?? this.base.getL1Validator(validator.validationId);
    this.activeL1Count += Number(isActive(validator)) - Number(before !== undefined && isActive(before));
    this.l1Validators.set(validator.validationId, validator);
  }

  /** Active L1 validators whose balance ends at or below these accrued fees, this block's changes included. */
  l1ValidatorsEndingBy(accruedFees: bigint): L1Validator[] {
    const untouched = this.base
      .l1ValidatorsEndingBy(accruedFees)
      .filter(({ validationId }) => !this.l1Validators.has(validationId));
    const touched = [...this.l1Validators.values()].filter(
      (validator) => isActive(validator) && validator.endAccumulatedFee <= accruedFees,
    );
    return [...untouched, ...touched];
  }

  createUtxo(utxo: {
    txId: Id;
    outputIndex: number;
    assetId: Id;
    output: Output;
    spendableOnChainId?: Id;
    stake?: StakeWindow;
    rewardType?: RewardType;
  }): void {
    const { amount, stakeableLocktime, owners } = utxo.output;
    this.createdUtxos.push({
      utxoId: utxoId(utxo.txId, utxo.outputIndex),
      txId: utxo.txId,
      outputIndex: utxo.outputIndex,
      assetId: utxo.assetId,
      output: { amount, stakeableLocktime, owners },
      spendableOnChainId: utxo.spendableOnChainId ?? PRIMARY_NETWORK,
      blockHeight: this.blockHeight,
      blockTime: this.time,
      stake: utxo.stake ?? null,
      rewardType: utxo.rewardType ?? null,
    });
  }

  consumeUtxo(utxo: Omit<ConsumedUtxo, 'utxoId' | 'blockHeight' | 'blockTime'>): void {
    this.consumedUtxos.push({
      ...utxo,
      utxoId: utxoId(utxo.txId, utxo.outputIndex),
      blockHeight: this.blockHeight,
      blockTime: this.time,
    });
  }

  /** Sets the window of a staker's stake outputs, which were created with its transaction. */
  setStakeWindow(staker: Staker, window: StakeWindow): void {
    for (let i = 0; i < staker.stakeOutputCount; i++) {
      this.stakeWindows.set(utxoId(staker.txId, staker.outputCount + i), window);
    }
  }

  private countDelegation(delegator: Delegator, before: Staker | undefined): void {
    const isNew = before === undefined;
    const ended = isOver(delegator) && !isNew;
    if (!isNew && !ended) return;
    const validator = this.getStaker(delegator.validatorTxId);
    if (validator.kind !== 'validator') throw mismatch(`staker ${validator.txId} is no validator`);
    const { delegatedWeight, delegatorCount, totalDelegatedWeight, totalDelegatorCount } = validator;
    const { weight } = delegator;
    this.putStaker(
      isNew
        ? {
            ...validator,
            delegatedWeight: delegatedWeight + weight,
            delegatorCount: delegatorCount + 1,
            totalDelegatedWeight: totalDelegatedWeight + weight,
            totalDelegatorCount: totalDelegatorCount + 1,
          }
        : {
            ...validator,
            delegatedWeight: delegatedWeight - weight,
            delegatorCount: delegatorCount - 1,
          },
    );
  }
}

export function mismatch(message: string): PlatformVmError {
  return new PlatformVmError('STATE_MISMATCH', message);
}

function isActive({ weight, endAccumulatedFee }: L1Validator): boolean {
  return weight > 0n && endAccumulatedFee > 0n;
}

function activeWeight(staker: Staker | undefined): bigint {
  return staker?.status === 'active' ? staker.weight : 0n;
}
