import type { Id } from '../ids.js';
import type { ChainTip, StateChanges } from './changes.js';
import type {
  Blockchain,
  ConsumedUtxo,
  CreatedUtxo,
  L1Validator,
  StakeWindow,
  Staker,
  Subnet,
  SubnetStake,
  TransactionRecord,
} from './records.js';

/** Joins the changes of block after block: the newest record of each key, everything else in order. */
export class ChangeCollector {
  private tip: ChainTip | null = null;
  private readonly collected = {
    stakers: new Map<Id, Staker>(),
    stakes: new Map<Id, SubnetStake>(),
    subnets: new Map<Id, Subnet>(),
    l1Validators: new Map<Id, L1Validator>(),
    stakeWindows: new Map<Id, StakeWindow>(),
    transactions: new Map<Id, TransactionRecord>(),
    blockchains: new Array<Blockchain>(),
    createdUtxos: new Array<CreatedUtxo>(),
    consumedUtxos: new Array<ConsumedUtxo>(),
  };

  add(changes: StateChanges): void {
    const { collected } = this;
    this.tip = changes.tip;
    merge(collected.stakers, changes.stakers);
    merge(collected.stakes, changes.stakes);
    merge(collected.subnets, changes.subnets);
    merge(collected.l1Validators, changes.l1Validators);
    merge(collected.stakeWindows, changes.stakeWindows);
    merge(collected.transactions, changes.transactions);
    append(collected.blockchains, changes.blockchains);
    append(collected.createdUtxos, changes.createdUtxos);
    append(collected.consumedUtxos, changes.consumedUtxos);
  }

  /** Null when nothing was added. */
  get changes(): StateChanges | null {
    return this.tip && { tip: this.tip, ...this.collected };
  }
}

function merge<K, V>(into: Map<K, V>, from: ReadonlyMap<K, V>): void {
  for (const [key, value] of from) into.set(key, value);
}

function append<T>(into: T[], from: readonly T[]): void {
  for (const element of from) into.push(element);
}
