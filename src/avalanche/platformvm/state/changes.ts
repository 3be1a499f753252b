import type { Id } from '../ids.js';
import type {
  Blockchain,
  ConsumedUtxo,
  CreatedUtxo,
  L1Validator,
  SettledCycle,
  StakeWindow,
  Staker,
  StakingTransaction,
  Subnet,
  SubnetStake,
  TransactionRecord,
  ValidatorSetChange,
} from './records.js';

/** Values of the chain that are no row of their own: its tip and its clocks. */
export interface ChainTip {
  /** The last block that was applied, never an undecided proposal. */
  readonly height: bigint;
  readonly blockId: Id;
  /** Chain time, UNIX seconds. */
  readonly time: number;
  /** Sum of the price per second of one active L1 validator since Etna, nAVAX. */
  readonly accruedFees: bigint;
  readonly validatorExcess: bigint;
}

/**
 * Changes of one block, or of a run of blocks. Records are whole and the newest of their key, to be written over what was there; UTXOs come
 * in order. Created and then consumed in the same run stands in both lists.
 */
export class CollectedChanges {
  readonly stakers = new Map<Id, Staker>();
  /** Those of new stakers, by id. */
  readonly stakingTransactions = new Map<Id, StakingTransaction>();
  readonly stakes = new Map<Id, SubnetStake>();
  readonly subnets = new Map<Id, Subnet>();
  readonly l1Validators = new Map<Id, L1Validator>();
  readonly blockchains: Blockchain[] = [];
  readonly createdUtxos: CreatedUtxo[] = [];
  readonly consumedUtxos: ConsumedUtxo[] = [];
  readonly settledCycles: SettledCycle[] = [];
  /** In order. */
  readonly validatorSetChanges: ValidatorSetChange[] = [];
  /** New windows of outputs that were created earlier, by UTXO id. */
  readonly stakeWindows = new Map<Id, StakeWindow>();
  /**
   * By id. The same transaction may stand in several blocks: an AdvanceTime that was aborted changes nothing and could be
   * proposed again with the same bytes. As in a node, the last decision counts.
   */
  readonly transactions = new Map<Id, TransactionRecord>();

  /** Joins what came after: the newest record of each key, everything else in order. */
  add(later: StateChanges): void {
    merge(this.stakers, later.stakers);
    merge(this.stakingTransactions, later.stakingTransactions);
    merge(this.stakes, later.stakes);
    merge(this.subnets, later.subnets);
    merge(this.l1Validators, later.l1Validators);
    merge(this.stakeWindows, later.stakeWindows);
    merge(this.transactions, later.transactions);
    append(this.blockchains, later.blockchains);
    append(this.settledCycles, later.settledCycles);
    append(this.createdUtxos, later.createdUtxos);
    append(this.consumedUtxos, later.consumedUtxos);
    append(this.validatorSetChanges, later.validatorSetChanges);
  }

  endingAt(tip: ChainTip): StateChanges {
    const { stakers, stakingTransactions, stakes, subnets, l1Validators, blockchains } = this;
    const { createdUtxos, consumedUtxos, stakeWindows, transactions } = this;
    const { settledCycles, validatorSetChanges } = this;
    const byId = { stakers, stakingTransactions, stakes, subnets };
    const records = { ...byId, l1Validators, stakeWindows, transactions };
    const lists = { blockchains, createdUtxos, consumedUtxos, settledCycles, validatorSetChanges };
    return { tip, ...records, ...lists };
  }
}

type ReadonlyCollection<C> =
  C extends Map<infer K, infer V> ? ReadonlyMap<K, V> : C extends (infer E)[] ? readonly E[] : never;

/** The same, to be read, with where the chain is then. */
export type StateChanges = { readonly tip: ChainTip } & {
  readonly [K in Exclude<keyof CollectedChanges, 'add' | 'endingAt'>]: ReadonlyCollection<
    CollectedChanges[K]
  >;
};

function merge<K, V>(into: Map<K, V>, from: ReadonlyMap<K, V>): void {
  for (const [key, value] of from) into.set(key, value);
}

function append<T>(into: T[], from: readonly T[]): void {
  for (const element of from) into.push(element);
}
