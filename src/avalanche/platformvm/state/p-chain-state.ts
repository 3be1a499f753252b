import { PlatformVmError } from '../platformvm.error.js';
import type { Id, ShortId } from '../ids.js';
import type { ChainTip, StateChanges } from './changes.js';
import type { ChainRules } from './chain-rules.js';
import type { L1Validator, Staker, Subnet, SubnetStake, Validator } from './records.js';

/** Where validators of a subnet are looked up: a node validates it once, active or pending. */
export function validatorKey(subnetId: Id, nodeId: ShortId): string {
  return subnetId + nodeId;
}

/** Values from which a state is restored: all that later blocks can still change. */
export interface StateSnapshot {
  readonly tip: ChainTip;
  /** Pending and active ones; others are ignored. */
  readonly stakers: Iterable<Staker>;
  readonly stakes: Iterable<SubnetStake>;
  readonly subnets: Iterable<Subnet>;
  /** Those with a weight; others are ignored. */
  readonly l1Validators: Iterable<L1Validator>;
}

/** State that executing a block may read. */
export type ReadonlyPChainState = Omit<PChainState, 'commit'>;

/**
 * The part of the P-chain's state that the next block depends on. It only changes by `commit`; what a block does to it is calculated in
 * advance, without side effects. UTXOs are not kept: inputs name what they spend.
 */
export class PChainState {
  private currentTip: ChainTip;
  private readonly stakers = new Map<Id, Staker>();
  private readonly validatorIds = new Map<string, Id>();
  /** Weight of active validators with their delegators, by validatorKey. */
  private readonly nodeWeights = new Map<string, bigint>();
  private readonly pendingIds = new Set<Id>();
  /** Active permissioned validators, the only stakers that leave by time alone. */
  private readonly permissionedIds = new Set<Id>();
  private readonly stakes = new Map<Id, SubnetStake>();
  private readonly subnets = new Map<Id, Subnet>();
  private readonly l1Validators = new Map<Id, L1Validator>();
  private readonly activeL1Ids = new Set<Id>();
  /**
   * Lower bounds of the next events, so that a block that reaches none of them costs no walk over all stakers.
   * A bound may be too early after a removal; the walk it then causes sets it right.
   */
  private nextStart = Infinity;
  private nextPermissionedEnd = Infinity;
  private nextEviction: bigint | null = null;

  constructor(
    snapshot: StateSnapshot,
    readonly rules: ChainRules,
  ) {
    this.currentTip = snapshot.tip;
    for (const staker of snapshot.stakers) this.putStaker(staker);
    for (const stake of snapshot.stakes) this.stakes.set(stake.subnetId, stake);
    for (const subnet of snapshot.subnets) this.subnets.set(subnet.subnetId, subnet);
    for (const validator of snapshot.l1Validators) this.putL1Validator(validator);
  }

  get tip(): ChainTip {
    return this.currentTip;
  }

  get activeL1ValidatorCount(): number {
    return this.activeL1Ids.size;
  }

  getStaker(txId: Id): Staker | undefined {
    return this.stakers.get(txId);
  }

  /** The validation of a node on a subnet that runs or waits to start. */
  findValidatorId(key: string): Id | undefined {
    return this.validatorIds.get(key);
  }

  /** Of an active validator with its delegators; 0 of none. */
  nodeWeightOf(key: string): bigint {
    return this.nodeWeights.get(key) ?? 0n;
  }

  getStake(subnetId: Id): SubnetStake | undefined {
    return this.stakes.get(subnetId);
  }

  getSubnet(subnetId: Id): Subnet | undefined {
    return this.subnets.get(subnetId);
  }

  getL1Validator(validationId: Id): L1Validator | undefined {
    return this.l1Validators.get(validationId);
  }

  /** Everything that runs or waits, for comparisons with a node and for storing. */
  snapshot(): StateSnapshot {
    return {
      tip: this.currentTip,
      stakers: this.stakers.values(),
      stakes: this.stakes.values(),
      subnets: this.subnets.values(),
      l1Validators: this.l1Validators.values(),
    };
  }

  /** Pending stakers whose time has come, in no particular order. */
  pendingStakersStartingBy(time: number): Staker[] {
    if (time < this.nextStart) return [];
    const pending = [...this.pendingIds].map((id) => this.known(id));
    this.nextStart = earliest(pending, ({ start }) => start);
    return pending.filter(({ start }) => start <= time);
  }

  permissionedValidatorsEndingBy(time: number): Validator[] {
    if (time < this.nextPermissionedEnd) return [];
    const validators = [...this.permissionedIds].map((id) => this.known(id) as Validator);
    this.nextPermissionedEnd = earliest(validators, ({ end }) => end);
    return validators.filter(({ end }) => end <= time);
  }

  /** Active L1 validators whose balance is used up when the accrued fees reach an amount. */
  l1ValidatorsEndingBy(accruedFees: bigint): L1Validator[] {
    if (this.nextEviction === null || accruedFees < this.nextEviction) return [];
    const ended: L1Validator[] = [];
    let next: bigint | null = null;
    for (const id of this.activeL1Ids) {
      const validator = this.l1Validators.get(id);
      if (validator === undefined) continue;
      const end = validator.endAccumulatedFee;
      if (next === null || end < next) next = end;
      if (end <= accruedFees) ended.push(validator);
    }
    this.nextEviction = next;
    return ended;
  }

  /** Takes over what a block did. */
  commit(changes: StateChanges): void {
    for (const staker of changes.stakers.values()) this.putStaker(staker);
    for (const stake of changes.stakes.values()) this.stakes.set(stake.subnetId, stake);
    for (const subnet of changes.subnets.values()) this.subnets.set(subnet.subnetId, subnet);
    for (const validator of changes.l1Validators.values()) this.putL1Validator(validator);
    this.currentTip = changes.tip;
  }

  private known(id: Id): Staker {
    const staker = this.stakers.get(id);
    if (staker === undefined) throw new PlatformVmError('STATE_MISMATCH', `staker ${id} is not known`);
    return staker;
  }

  private putStaker(staker: Staker): void {
    const { txId, status } = staker;
    const key = validatorKey(staker.subnetId, staker.nodeId);
    this.addWeight(key, activeWeight(staker) - activeWeight(this.stakers.get(txId)));
    const isPending = status === 'pending';
    const isRunning = isPending || status === 'active';
    const isPermissioned = staker.kind === 'validator' && staker.isPermissioned && status === 'active';
    setMembership(this.pendingIds, txId, isPending);
    setMembership(this.permissionedIds, txId, isPermissioned);
    if (isPending) this.nextStart = Math.min(this.nextStart, staker.start);
    if (isPermissioned) this.nextPermissionedEnd = Math.min(this.nextPermissionedEnd, staker.end);
    if (isRunning) this.stakers.set(txId, staker);
    else this.stakers.delete(txId);
    if (staker.kind === 'delegator') return;
    if (isRunning) this.validatorIds.set(key, txId);
    else if (this.validatorIds.get(key) === txId) this.validatorIds.delete(key);
  }

  private addWeight(key: string, gained: bigint): void {
    if (gained === 0n) return;
    const weight = this.nodeWeightOf(key) + gained;
    if (weight > 0n) this.nodeWeights.set(key, weight);
    else this.nodeWeights.delete(key);
  }

  private putL1Validator(validator: L1Validator): void {
    const { validationId, weight, endAccumulatedFee } = validator;
    const isActive = isActiveL1Validator(validator);
    setMembership(this.activeL1Ids, validationId, isActive);
    if (isActive && (this.nextEviction === null || endAccumulatedFee < this.nextEviction)) {
      this.nextEviction = endAccumulatedFee;
    }
    if (weight > 0n) this.l1Validators.set(validationId, validator);
    else this.l1Validators.delete(validationId);
  }
}

/** Its weight in the validator set. */
export function activeWeight(staker: Staker | undefined): bigint {
  return staker?.status === 'active' ? staker.weight : 0n;
}

/** Whether it has a weight and balance left. */
export function isActiveL1Validator({ weight, endAccumulatedFee }: L1Validator): boolean {
  return weight > 0n && endAccumulatedFee > 0n;
}

/** Infinity of none. Not by spreading: anybody may add more stakers than a call takes arguments. */
function earliest<T>(items: readonly T[], timeOf: (item: T) => number): number {
  return items.reduce((time, item) => Math.min(time, timeOf(item)), Infinity);
}

function setMembership<T>(set: Set<T>, member: T, isMember: boolean): void {
  if (isMember) set.add(member);
  else set.delete(member);
}
