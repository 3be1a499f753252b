import type { Id } from '../ids.js';
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

/** What is no row of its own: where the chain is and what its clocks say. */
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
 * What one block, or a run of blocks, did. Records are whole and the newest of their key, to be written over what
 * was there; UTXOs come in order. Created and then consumed in the same run stands in both lists.
 */
export interface StateChanges {
  readonly tip: ChainTip;
  readonly stakers: ReadonlyMap<Id, Staker>;
  readonly stakes: ReadonlyMap<Id, SubnetStake>;
  readonly subnets: ReadonlyMap<Id, Subnet>;
  readonly l1Validators: ReadonlyMap<Id, L1Validator>;
  readonly blockchains: readonly Blockchain[];
  readonly createdUtxos: readonly CreatedUtxo[];
  readonly consumedUtxos: readonly ConsumedUtxo[];
  /** New windows of outputs that were created earlier, by UTXO id. */
  readonly stakeWindows: ReadonlyMap<Id, StakeWindow>;
  /**
   * By id. The same transaction may stand in several blocks: an AdvanceTime that was aborted changes nothing and could be
   * proposed again with the same bytes. As in a node, the last decision counts.
   */
  readonly transactions: ReadonlyMap<Id, TransactionRecord>;
}
