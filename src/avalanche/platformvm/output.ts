import type { Id, ShortId } from './ids.js';

/** Who may spend or decide: `threshold` of the addresses, from `locktime` (UNIX seconds) on. */
export interface OutputOwners {
  readonly locktime: bigint;
  readonly threshold: number;
  /** Ascending, as the codec demands of new transactions. */
  readonly addresses: readonly ShortId[];
}

/** secp256k1fx.TransferOutput, wrapped in stakeable.LockOut when it has a `stakeableLocktime`. */
export interface Output {
  readonly amount: bigint;
  /** UNIX seconds until which it may only be staked; null for an output that is not wrapped. */
  readonly stakeableLocktime: bigint | null;
  readonly owners: OutputOwners;
}

export interface TransferableOutput extends Output {
  readonly assetId: Id;
}

/** secp256k1fx.TransferInput, wrapped in stakeable.LockIn when it has a `stakeableLocktime`. */
export interface TransferableInput {
  readonly txId: Id;
  readonly outputIndex: number;
  readonly assetId: Id;
  readonly amount: bigint;
  readonly stakeableLocktime: bigint | null;
  readonly signatureIndices: readonly number[];
}

/** Owner of an L1 validator's balance or of the right to disable it: no lock time, no type id on the wire. */
export interface PChainOwner {
  readonly threshold: number;
  readonly addresses: readonly ShortId[];
}
