import { Buffer } from 'node:buffer';
import { PlatformVmError } from '../platformvm.error.js';
import { utxoId } from '../utxo-id.js';
import { PRIMARY_NETWORK, type Id, type ShortId } from '../ids.js';
import type { Output } from '../output.js';
import type { StakerTx } from '../transaction.js';
import { CollectedChanges, type StateChanges } from './changes.js';
import {
  activeWeight,
  isActiveL1Validator,
  type ReadonlyPChainState,
  validatorKey,
} from './p-chain-state.js';
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
  ValidatorSetChange,
} from './records.js';
import { isOver } from './staker-status.js';

/** A member of a validator set, whichever block made it so. */
type Member = Omit<ValidatorSetChange, 'height'>;

interface WeighedNode {
  readonly subnetId: Id;
  readonly nodeId: ShortId;
  /** By which its weight has grown. */
  readonly gained: bigint;
}

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
  /** By validatorKey: whose weight was touched. */
  private readonly weighedNodes = new Map<string, WeighedNode>();

  constructor(
    readonly base: ReadonlyPChainState,
    /** Of the block whose transactions are executed: a proposal's, also when its option decides. */
    readonly blockHeight: bigint,
    readonly blockId: Id,
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
    for (const member of [...this.changedNodes(), ...this.changedL1Validators()]) {
      this.validatorSetChanges.push({ ...member, height: position.height });
    }
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
      this.noteWeight(staker, gained);
      const stake = this.getStake(staker.subnetId);
      this.putStake({ ...stake, totalWeight: stake.totalWeight + gained });
    }
    if (staker.kind === 'delegator') {
      this.countDelegation(staker, before);
      return;
    }
    this.validatorIds.set(validatorKey(staker.subnetId, staker.nodeId), isOver(staker) ? null : staker.txId);
  }

  noteStakingTransaction(txId: Id, unsigned: StakerTx): void {
    const { blockId, blockHeight, time: blockTime } = this;
    this.stakingTransactions.set(txId, { txId, unsigned, blockId, blockHeight, blockTime });
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
    const wasActive = before !== undefined && isActiveL1Validator(before);
    this.activeL1Count += Number(isActiveL1Validator(validator)) - Number(wasActive);
    this.l1Validators.set(validator.validationId, validator);
  }

  /** Active L1 validators whose balance ends at or below these accrued fees, this block's changes included. */
  l1ValidatorsEndingBy(accruedFees: bigint): L1Validator[] {
    const untouched = this.base
      .l1ValidatorsEndingBy(accruedFees)
      .filter(({ validationId }) => !this.l1Validators.has(validationId));
    const touched = [...this.l1Validators.values()].filter(
      (validator) => isActiveL1Validator(validator) && validator.endAccumulatedFee <= accruedFees,
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

  private noteWeight({ subnetId, nodeId }: Staker, gained: bigint): void {
    const key = validatorKey(subnetId, nodeId);
    const before = this.weighedNodes.get(key)?.gained ?? 0n;
    this.weighedNodes.set(key, { subnetId, nodeId, gained: before + gained });
  }

  private changedNodes(): Member[] {
    return [...this.weighedNodes].flatMap(([key, { subnetId, nodeId, gained }]) => {
      const weightBefore = this.base.nodeWeightOf(key);
      const weight = weightBefore + gained;
      const publicKey = weight === 0n ? null : this.publicKeyOf(nodeId);
      const keyBefore = weightBefore === 0n ? null : publicKeyIn(this.base, nodeId);
      const isSame = weight === weightBefore && areEqual(publicKey, keyBefore);
      return isSame ? [] : [{ subnetId, memberId: nodeId, nodeId, publicKey, weight }];
    });
  }

  private changedL1Validators(): Member[] {
    return [...this.l1Validators.values()].flatMap((validator) => {
      const before = this.base.getL1Validator(validator.validationId);
      const member = l1Member(validator);
      const isSame =
        before === undefined
          ? member.weight === 0n
          : before.weight === member.weight && l1Member(before).nodeId === member.nodeId;
      return isSame ? [] : [member];
    });
  }

  /** Of the node's validation of the primary network, whose key its validations of subnets have, too. */
  private publicKeyOf(nodeId: ShortId): Uint8Array | null {
    const key = validatorKey(PRIMARY_NETWORK, nodeId);
    const changed = this.validatorIds.get(key);
    if (changed === undefined) return publicKeyIn(this.base, nodeId);
    return changed === null ? null : signerKey(this.getStaker(changed));
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

function publicKeyIn(state: ReadonlyPChainState, nodeId: ShortId): Uint8Array | null {
  const txId = state.findValidatorId(validatorKey(PRIMARY_NETWORK, nodeId));
  return txId === undefined ? null : signerKey(state.getStaker(txId));
}

function signerKey(staker: Staker | undefined): Uint8Array | null {
  return staker?.kind === 'validator' ? (staker.signer?.publicKey ?? null) : null;
}

function areEqual(one: Uint8Array | null, other: Uint8Array | null): boolean {
  return one === null || other === null ? one === other : Buffer.compare(one, other) === 0;
}

function l1Member(validator: L1Validator): Member {
  const { subnetId, validationId: memberId, weight } = validator;
  return isActiveL1Validator(validator)
    ? { subnetId, memberId, nodeId: validator.nodeId, publicKey: validator.publicKey, weight }
    : { subnetId, memberId, nodeId: null, publicKey: null, weight };
}
