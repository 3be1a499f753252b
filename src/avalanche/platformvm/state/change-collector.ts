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
  private readonly stakers = new Map<Id, Staker>();
  private readonly stakes = new Map<Id, SubnetStake>();
  private readonly subnets = new Map<Id, Subnet>();
  private readonly l1Validators = new Map<Id, L1Validator>();
  private readonly blockchains: Blockchain[] = [];
  private readonly createdUtxos: CreatedUtxo[] = [];
  private readonly consumedUtxos: ConsumedUtxo[] = [];
  private readonly stakeWindows = new Map<Id, StakeWindow>();
  private readonly transactions = new Map<Id, TransactionRecord>();

  add(changes: StateChanges): void {
    this.tip = changes.tip;
    merge(this.stakers, changes.stakers);
    merge(this.stakes, changes.stakes);
    merge(this.subnets, changes.subnets);
    merge(this.l1Validators, changes.l1Validators);
    merge(this.stakeWindows, changes.stakeWindows);
    merge(this.transactions, changes.transactions);
    append(this.blockchains, changes.blockchains);
    append(this.createdUtxos, changes.createdUtxos);
    append(this.consumedUtxos, changes.consumedUtxos);
  }

  /** Null when nothing was added. */
  get changes(): StateChanges | null {
    if (this.tip === null) return null;
    return {
      tip: this.tip,
      stakers: this.stakers,
      stakes: this.stakes,
      subnets: this.subnets,
      l1Validators: this.l1Validators,
      blockchains: this.blockchains,
      createdUtxos: this.createdUtxos,
      consumedUtxos: this.consumedUtxos,
      stakeWindows: this.stakeWindows,
      transactions: this.transactions,
    };
  }
}

function merge<K, V>(into: Map<K, V>, from: ReadonlyMap<K, V>): void {
  for (const [key, value] of from) into.set(key, value);
}

function append<T>(into: T[], from: readonly T[]): void {
  for (const element of from) into.push(element);
}
