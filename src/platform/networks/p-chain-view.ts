import type { UnsignedTx } from '../../avalanche/platformvm/transaction.js';
import type { ValidatorSetEntry } from '../../avalanche/warp/canonical-validator-set.js';

/** A transaction as far as its P-chain message is concerned. */
export type SeenTransaction =
  | {
      readonly status: 'Committed';
      readonly type: string;
      /** Of a type that the P-chain states something about an L1 after; others may be left out. */
      readonly unsigned: UnsignedTx | undefined;
    }
  | { readonly status: 'Aborted' | 'Processing' }
  | { readonly status: 'Dropped'; readonly reason: string | undefined };

/** A validation of an L1 that is not over. */
export interface ListedL1Validator {
  readonly validationId: string;
  readonly nodeId: string;
  /** nAVAX; 0: it is not active. */
  readonly balance: bigint;
}

/**
 * A network's P-chain as far as signing depends on it, whoever it comes from. Ids are cb58; `undefined` stands for what does not exist.
 * All methods may reject with NetworkError, RpcError, or an error of the database.
 */
export interface PChainView {
  /** Of the last accepted block. */
  getHeight(): Promise<bigint>;
  /** The one to propose a block with: that of the last block which is older than 30 s. */
  getProposedHeight(): Promise<bigint>;
  /** Empty also for an unknown subnet. Throws HEIGHT_IN_FUTURE and HEIGHT_NOT_AVAILABLE. */
  getValidatorsAt(subnetId: string, height: bigint): Promise<ValidatorSetEntry[]>;
  /** `conversionId` is undefined for a subnet that is no L1. */
  findSubnet(subnetId: string): Promise<{ readonly conversionId: string | undefined } | undefined>;
  listSubnetIds(): Promise<string[]>;
  /** The subnet that validates a blockchain. */
  findSubnetOf(blockchainId: string): Promise<string | undefined>;
  /** The bytes that a blockchain was created with, whatever its virtual machine makes of them. */
  findGenesis(blockchainId: string): Promise<Uint8Array | undefined>;
  /** A validation of an L1 that is not over. */
  findL1Validator(validationId: string): Promise<{ readonly minNonce: bigint } | undefined>;
  /** Of a subnet that is no L1 none: permissioned validators have no balance, and need none. */
  listL1Validators(subnetId: string): Promise<ListedL1Validator[]>;
  /** Present fee of an active validator of an L1, nAVAX a second. */
  getValidatorPrice(): Promise<bigint>;
  findTransaction(txId: string): Promise<SeenTransaction | undefined>;
  /** Whether the X-chain has accepted a transaction, or is about to; undefined where it cannot be asked. */
  isOnXChain(txId: string): Promise<boolean | undefined>;
}
