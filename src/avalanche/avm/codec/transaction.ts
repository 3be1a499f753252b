import {
  bytes,
  constant,
  id,
  list,
  struct,
  text,
  uint32,
  uint8,
  type Field,
  type Fields,
} from '../../platformvm/codec/field.js';
import {
  ownersBody,
  signatures,
  transferableInput,
  transferableOutput,
  unlocked,
} from '../../platformvm/codec/fields.js';
import { packWith } from '../../platformvm/codec/parse.js';
import { identified, transactionId } from '../../platformvm/codec/transaction.js';
import type { BaseFields } from '../../platformvm/transaction.js';
import {
  CREDENTIAL_TYPE_IDS,
  OPERATION_TYPE_IDS,
  TX_TYPE_IDS,
  type AssetOperation,
  type AvmCredential,
  type AvmOperation,
  type AvmTransaction,
  type AvmUnsignedTx,
  type CreateAssetTx,
  type InitialState,
  type SignedAvmTransaction,
  type UtxoRef,
} from '../transaction.js';
import { alternatives } from './alternatives.js';
import { avmOutput, OUTPUT_BODIES } from './output.js';
import { parseWith } from './parse.js';

type TxByType = { readonly [T in AvmUnsignedTx as T['type']]: T };
type OperationByType = { readonly [O in AvmOperation as O['type']]: O };
type CredentialByType = { readonly [C in AvmCredential as C['type']]: C };

/** avalanchego v1.15.0 vms/components/avax/base_tx.go. Only amounts stand here: the codec knows no stakeable locks. */
const base: Fields<BaseFields> = {
  networkId: uint32,
  blockchainId: id,
  outputs: list(unlocked(transferableOutput)),
  inputs: list(unlocked(transferableInput)),
  memo: bytes,
};

const initialState = struct<InitialState>({ fxIndex: uint32, outputs: list(avmOutput) });

const signatureIndices = list(uint32);

/** avalanchego v1.15.0 vms/secp256k1fx, vms/nftfx, vms/propertyfx. */
const operation: Field<AvmOperation> = alternatives<AvmOperation>('operation', OPERATION_TYPE_IDS, {
  Mint: struct<OperationByType['Mint']>({
    type: constant('Mint'),
    signatureIndices,
    mintOutput: OUTPUT_BODIES.Mint,
    transferOutput: OUTPUT_BODIES.Transfer,
  }),
  NftMint: struct<OperationByType['NftMint']>({
    type: constant('NftMint'),
    signatureIndices,
    groupId: uint32,
    payload: bytes,
    owners: list(ownersBody),
  }),
  NftTransfer: struct<OperationByType['NftTransfer']>({
    type: constant('NftTransfer'),
    signatureIndices,
    output: OUTPUT_BODIES.NftTransfer,
  }),
  PropertyMint: struct<OperationByType['PropertyMint']>({
    type: constant('PropertyMint'),
    signatureIndices,
    mintOutput: OUTPUT_BODIES.PropertyMint,
    ownedOutput: OUTPUT_BODIES.PropertyOwned,
  }),
  PropertyBurn: struct<OperationByType['PropertyBurn']>({ type: constant('PropertyBurn'), signatureIndices }),
});

const assetOperation = struct<AssetOperation>({
  assetId: id,
  inputs: list(struct<UtxoRef>({ txId: id, outputIndex: uint32 })),
  operation,
});

/** The fields of a transaction that makes an asset; a genesis has them without a type id. */
export const createAssetFields: Fields<Omit<CreateAssetTx, 'type'>> = {
  ...base,
  name: text,
  symbol: text,
  denomination: uint8,
  initialStates: list(initialState),
};

/** The fields of every transaction in the order of the bytes (avalanchego v1.15.0 vms/avm/txs/*_tx.go). */
const unsignedTransaction: Field<AvmUnsignedTx> = alternatives<AvmUnsignedTx>('transaction', TX_TYPE_IDS, {
  Base: struct<TxByType['Base']>({ type: constant('Base'), ...base }),
  CreateAsset: struct<CreateAssetTx>({ type: constant('CreateAsset'), ...createAssetFields }),
  Operation: struct<TxByType['Operation']>({
    type: constant('Operation'),
    ...base,
    operations: list(assetOperation),
  }),
  Import: struct<TxByType['Import']>({
    type: constant('Import'),
    ...base,
    sourceChain: id,
    importedInputs: list(unlocked(transferableInput)),
  }),
  Export: struct<TxByType['Export']>({
    type: constant('Export'),
    ...base,
    destinationChain: id,
    exportedOutputs: list(unlocked(transferableOutput)),
  }),
});

const credential: Field<AvmCredential> = alternatives<AvmCredential>('credential', CREDENTIAL_TYPE_IDS, {
  Transfer: struct<CredentialByType['Transfer']>({ type: constant('Transfer'), signatures }),
  Nft: struct<CredentialByType['Nft']>({ type: constant('Nft'), signatures }),
  Property: struct<CredentialByType['Property']>({ type: constant('Property'), signatures }),
});

const signedTransaction = struct<SignedAvmTransaction>({
  unsigned: unsignedTransaction,
  credentials: list(credential),
});

/** A transaction within a block, which has the codec version only once. */
export const avmTransaction: Field<AvmTransaction> = identified(signedTransaction);

/**
 * A transaction on its own, as avm.getTx and the index of transactions give it.
 * The input is untrusted. Throws AvmError MALFORMED and UNKNOWN_TYPE_ID.
 */
export function parseAvmTransaction(txBytes: Uint8Array): AvmTransaction {
  const { unsigned, credentials } = parseWith('transaction', txBytes, signedTransaction);
  return { id: transactionId(txBytes), unsigned, credentials };
}

/** What `parseAvmTransaction` reads. Throws CodecError when a value does not fit its field. */
export function packAvmTransaction(transaction: SignedAvmTransaction): Uint8Array {
  return packWith(signedTransaction, transaction);
}

/** What the credentials sign the sha256 of. */
export function packUnsignedAvmTransaction(unsigned: AvmUnsignedTx): Uint8Array {
  return packWith(unsignedTransaction, unsigned);
}
