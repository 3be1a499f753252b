import type { Id } from '../platformvm/ids.js';
import type { OutputOwners } from '../platformvm/output.js';

/** Type ids of the X-chain's codec (avalanchego v1.15.0 vms/avm/txs/parser.go with secp256k1fx, nftfx and propertyfx). */
export const OUTPUT_TYPE_IDS = {
  Mint: 6,
  Transfer: 7,
  NftMint: 10,
  NftTransfer: 11,
  PropertyMint: 15,
  PropertyOwned: 16,
} as const;

export type OutputType = keyof typeof OUTPUT_TYPE_IDS;

/** secp256k1fx.TransferOutput: an amount of a fungible asset. */
export interface TransferOutput {
  readonly type: 'Transfer';
  readonly amount: bigint;
  readonly owners: OutputOwners;
}

/** secp256k1fx.MintOutput: the right to make more of a fungible asset. */
export interface MintOutput {
  readonly type: 'Mint';
  readonly owners: OutputOwners;
}

/** nftfx.MintOutput: the right to make NFTs of one group. */
interface NftMintOutput {
  readonly type: 'NftMint';
  readonly groupId: number;
  readonly owners: OutputOwners;
}

/** nftfx.TransferOutput: one NFT. */
export interface NftTransferOutput {
  readonly type: 'NftTransfer';
  readonly groupId: number;
  readonly payload: Uint8Array;
  readonly owners: OutputOwners;
}

/** propertyfx.MintOutput: the right to hand out a property. */
export interface PropertyMintOutput {
  readonly type: 'PropertyMint';
  readonly owners: OutputOwners;
}

/** propertyfx.OwnedOutput: one property. */
export interface PropertyOwnedOutput {
  readonly type: 'PropertyOwned';
  readonly owners: OutputOwners;
}

export type AvmOutput =
  TransferOutput | MintOutput | NftMintOutput | NftTransferOutput | PropertyMintOutput | PropertyOwnedOutput;

/** An output together with where it comes from. */
export interface AvmUtxo {
  readonly txId: Id;
  readonly outputIndex: number;
  readonly assetId: Id;
  readonly output: AvmOutput;
}
