import {
  bytes,
  id,
  list,
  struct,
  text,
  uint32,
  uint8,
  variants,
  type ValueOf,
} from '../../platformvm/codec/field.js';
import {
  ownersBody,
  signatures,
  transferableInput,
  transferableOutput,
  unlocked,
} from '../../platformvm/codec/fields.js';
import { packWith } from '../../platformvm/codec/bounded-blob.js';
import { identified, transactionId } from '../../platformvm/codec/transaction.js';
import { avmOutput } from './output.js';
import { parseWith } from './bounded-blob.js';

/** avalanchego v1.15.0 vms/components/avax/base_tx.go. Only amounts stand here: the codec knows no stakeable locks. */
const base = {
  networkId: uint32,
  blockchainId: id,
  outputs: list(unlocked(transferableOutput)),
  inputs: list(unlocked(transferableInput)),
  memo: bytes,
};

/** Initial state of an asset under one feature extension: 0 secp256k1fx, 1 nftfx, 2 propertyfx. */
const initialState = struct({ fxIndex: uint32, outputs: list(avmOutput) });

export type InitialState = ValueOf<typeof initialState>;

/** Signatures for the outputs that an operation consumes. */
const signed = { signatureIndices: list(uint32) };
const { bodies } = avmOutput;

/** avalanchego v1.15.0 vms/secp256k1fx, vms/nftfx, vms/propertyfx. */
const operation = variants('operation', {
  // The right is kept, and more of the asset is made.
  Mint: [8, { ...signed, mintOutput: bodies.Mint, transferOutput: bodies.Transfer }],
  // One NFT for each of the owners. The right is used up.
  NftMint: [12, { ...signed, groupId: uint32, payload: bytes, owners: list(ownersBody) }],
  NftTransfer: [13, { ...signed, output: bodies.NftTransfer }],
  // The right is kept, and one property is handed out.
  PropertyMint: [17, { ...signed, mintOutput: bodies.PropertyMint, ownedOutput: bodies.PropertyOwned }],
  PropertyBurn: [18, signed],
});

export type AvmOperation = ValueOf<typeof operation>;

const utxoRef = struct({ txId: id, outputIndex: uint32 });

export type UtxoRef = ValueOf<typeof utxoRef>;

const assetOperation = struct({ assetId: id, inputs: list(utxoRef), operation });

/** An operation on outputs that are no amounts, of one asset. */
export type AssetOperation = ValueOf<typeof assetOperation>;

/** The fields of a transaction that makes an asset, whose id is the transaction's; a genesis has them without a type id. */
export const createAssetFields = {
  ...base,
  name: text,
  symbol: text,
  denomination: uint8,
  initialStates: list(initialState),
};

/** The fields of every transaction in the order of the bytes (avalanchego v1.15.0 vms/avm/txs/*_tx.go). */
const unsignedAvmTransaction = variants('transaction', {
  Base: [0, base],
  CreateAsset: [1, createAssetFields],
  Operation: [2, { ...base, operations: list(assetOperation) }],
  Import: [3, { ...base, sourceChain: id, importedInputs: list(unlocked(transferableInput)) }],
  Export: [4, { ...base, destinationChain: id, exportedOutputs: list(unlocked(transferableOutput)) }],
});

export type AvmUnsignedTx = ValueOf<typeof unsignedAvmTransaction>;

const credential = variants('credential', {
  Transfer: [9, { signatures }],
  Nft: [14, { signatures }],
  Property: [19, { signatures }],
});

/** Signatures for one input, under the feature extension of what it consumes. */
export type AvmCredential = ValueOf<typeof credential>;

const signedTransaction = struct({ unsigned: unsignedAvmTransaction, credentials: list(credential) });

type SignedAvmTransaction = ValueOf<typeof signedTransaction>;

/** A transaction within a block, which has the codec version only once. */
export const avmTransaction = identified(signedTransaction);

/** With its id, which is sha256 of the codec version and the signed bytes. */
export type AvmTransaction = ValueOf<typeof avmTransaction>;

/**
 * A transaction on its own, as avm.getTx and the index of transactions give it.
 * The input is untrusted. Throws AvmError MALFORMED and UNKNOWN_TYPE_ID.
 */
export function parseAvmTransaction(txBytes: Uint8Array): AvmTransaction {
  const { unsigned, credentials } = parseWith('transaction', txBytes, signedTransaction);
  return { id: transactionId(txBytes), unsigned, credentials };
}

/** Result of `parseAvmTransaction`. Throws CodecError when a value does not fit its field. */
export function packAvmTransaction(transaction: SignedAvmTransaction): Uint8Array {
  return packWith(signedTransaction, transaction);
}

/** The bytes whose sha256 the credentials sign. */
export function packUnsignedAvmTransaction(unsigned: AvmUnsignedTx): Uint8Array {
  return packWith(unsignedAvmTransaction, unsigned);
}
