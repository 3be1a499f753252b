import type { Address, Hash, Hex } from '../../../avalanche/evm/rpc/hex-values.js';

/** A log that is kept as it is. */
export interface WatchedLog {
  readonly height: bigint;
  /** Position in the block. */
  readonly logIndex: number;
  readonly txIndex: number;
  /** UNIX seconds. */
  readonly blockTime: number;
  readonly txHash: Hash;
  readonly address: Address;
  readonly topics: readonly Hash[];
  readonly data: Hex;
  /** What its transaction paid for its gas, in the smallest unit of the native asset. */
  readonly fee: bigint;
}

/** A log with its place in the order in which they came. */
export interface StoredLog extends WatchedLog {
  readonly seq: bigint;
}
