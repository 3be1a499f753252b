import type { Id } from '../platformvm/ids.js';
import type { OutputOwners, TransferableInput, TransferableOutput } from '../platformvm/output.js';
import type { BaseFields, Credential } from '../platformvm/transaction.js';
import type {
  AvmOutput,
  MintOutput,
  NftTransferOutput,
  PropertyMintOutput,
  PropertyOwnedOutput,
  TransferOutput,
} from './output.js';

/** Type ids of the X-chain's codec (avalanchego v1.15.0 vms/avm/txs/parser.go). */
export const TX_TYPE_IDS = { Base: 0, CreateAsset: 1, Operation: 2, Import: 3, Export: 4 } as const;

export type AvmTxType = keyof typeof TX_TYPE_IDS;

interface AvmBaseTx extends BaseFields {
  readonly type: 'Base';
}

/** What an asset starts with under one feature extension: 0 secp256k1fx, 1 nftfx, 2 propertyfx. */
export interface InitialState {
  readonly fxIndex: number;
  readonly outputs: readonly AvmOutput[];
}

/** The asset's id is the transaction's. */
export interface CreateAssetTx extends BaseFields {
  readonly type: 'CreateAsset';
  readonly name: string;
  readonly symbol: string;
  readonly denomination: number;
  readonly initialStates: readonly InitialState[];
}

export const OPERATION_TYPE_IDS = {
  Mint: 8,
  NftMint: 12,
  NftTransfer: 13,
  PropertyMint: 17,
  PropertyBurn: 18,
} as const;

/** Who signed for what the operation consumes. */
interface SignedOperation {
  readonly signatureIndices: readonly number[];
}

/** secp256k1fx.MintOperation: the right is kept, and more of the asset is made. */
interface MintOperation extends SignedOperation {
  readonly type: 'Mint';
  readonly mintOutput: MintOutput;
  readonly transferOutput: TransferOutput;
}

/** nftfx.MintOperation: one NFT for each of the owners. The right is used up. */
interface NftMintOperation extends SignedOperation {
  readonly type: 'NftMint';
  readonly groupId: number;
  readonly payload: Uint8Array;
  readonly owners: readonly OutputOwners[];
}

/** nftfx.TransferOperation. */
interface NftTransferOperation extends SignedOperation {
  readonly type: 'NftTransfer';
  readonly output: NftTransferOutput;
}

/** propertyfx.MintOperation: the right is kept, and one property is handed out. */
interface PropertyMintOperation extends SignedOperation {
  readonly type: 'PropertyMint';
  readonly mintOutput: PropertyMintOutput;
  readonly ownedOutput: PropertyOwnedOutput;
}

/** propertyfx.BurnOperation. */
interface PropertyBurnOperation extends SignedOperation {
  readonly type: 'PropertyBurn';
}

export type AvmOperation =
  MintOperation | NftMintOperation | NftTransferOperation | PropertyMintOperation | PropertyBurnOperation;

export interface UtxoRef {
  readonly txId: Id;
  readonly outputIndex: number;
}

/** What consumes outputs that are no amounts, of one asset. */
export interface AssetOperation {
  readonly assetId: Id;
  readonly inputs: readonly UtxoRef[];
  readonly operation: AvmOperation;
}

interface OperationTx extends BaseFields {
  readonly type: 'Operation';
  readonly operations: readonly AssetOperation[];
}

export interface AvmImportTx extends BaseFields {
  readonly type: 'Import';
  readonly sourceChain: Id;
  readonly importedInputs: readonly TransferableInput[];
}

export interface AvmExportTx extends BaseFields {
  readonly type: 'Export';
  readonly destinationChain: Id;
  readonly exportedOutputs: readonly TransferableOutput[];
}

export type AvmUnsignedTx = AvmBaseTx | CreateAssetTx | OperationTx | AvmImportTx | AvmExportTx;

export const CREDENTIAL_TYPE_IDS = { Transfer: 9, Nft: 14, Property: 19 } as const;

interface CredentialOf<Type extends keyof typeof CREDENTIAL_TYPE_IDS> extends Credential {
  readonly type: Type;
}

/** Signatures for one input, under the feature extension of what it consumes. */
export type AvmCredential = CredentialOf<'Transfer'> | CredentialOf<'Nft'> | CredentialOf<'Property'>;

export interface SignedAvmTransaction {
  readonly unsigned: AvmUnsignedTx;
  readonly credentials: readonly AvmCredential[];
}

/** With its id, which is sha256 of the codec version and the signed bytes. */
export interface AvmTransaction extends SignedAvmTransaction {
  readonly id: Id;
}
