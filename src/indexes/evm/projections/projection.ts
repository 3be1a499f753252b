import { evmChainKey, type EvmChainRef } from '../../../platform/database/chains.js';
import type { Transaction } from '../../../platform/database/database.js';
import type { WatchedLog } from './watched-log.js';

export interface ProjectedChain extends EvmChainRef {
  /** Cb58. */
  readonly blockchainId: string;
}

/** Rows that are made of watched logs alone: the same ones whatever the logs' order, and however often each comes. */
export interface Projection {
  readonly name: string;
  /** A higher one has everything made again, from the logs on record. */
  readonly version: number;
  /** Kind of logs that it is derived from; `messages` stands for all sets of messengers. */
  readonly logSet: string;
  /** Deletes some rows derived from the chain's logs, which may be millions of rows; whether nothing is left of it. */
  clear(transaction: Transaction, chain: ProjectedChain): Promise<boolean>;
  /** Puts some more logs of one chain in. Projections of other chains may write the same rows at the same time. */
  apply(transaction: Transaction, chain: ProjectedChain, logs: readonly WatchedLog[]): Promise<void>;
}

/** Has all projections of a chain made again from the logs on record. Under the chain's lock: who puts logs in records that afterwards. */
export async function forgetProjections(transaction: Transaction, chain: EvmChainRef): Promise<void> {
  await transaction.execute({
    text: 'DELETE FROM projection_checkpoints WHERE chain_key = $1',
    values: [evmChainKey(chain)],
  });
}
