import { AvalancheError } from '../avalanche/avalanche.error.js';

export type TransactionExportErrorCode =
  /** Another process has recorded the part at hand: it goes on with this export. */
  | 'PART_TAKEN'
  /** The index has dropped heights while they were being read, e.g. because of a reindex. */
  | 'INDEX_CHANGED'
  /** The nodes do not have a block yet that they had announced. */
  | 'NODE_BEHIND'
  /** The id of AVAX on a local network is known once its P-chain index has begun. */
  | 'NETWORK_NOT_INDEXED'
  /** Nodes give different states of the same block: one of them lies, or has another chain. */
  | 'NODES_DIFFER'
  /** No node has the states of blocks that the index does not have: an export that needs them ends there. */
  | 'STATE_UNAVAILABLE';

/** A turn of an export cannot go on. All but the last pass by themselves: the next attempt begins at the last recorded part. */
export class TransactionExportError extends AvalancheError<TransactionExportErrorCode> {}
