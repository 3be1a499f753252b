import { CODEC_VERSION } from '../../codec/codec.js';
import type { Id } from '../ids.js';
import type { Credential, Transaction, UnsignedTx } from '../transaction.js';
import { list, struct, type Field } from './field.js';
import { credential } from './fields.js';
import { packWith, parseWith } from './bounded-blob.js';
import { sha256Id } from './sha256.js';
import { unsignedTransaction } from './unsigned-transaction.js';

export interface SignedTransaction {
  readonly unsigned: UnsignedTx;
  readonly credentials: readonly Credential[];
}

const CODEC_VERSION_BYTES = 2;

/** avalanchego v1.14.2 vms/platformvm/txs/tx.go, without the codec version that stands before it outside of blocks. */
const signedTransaction: Field<SignedTransaction> = struct<SignedTransaction>({
  unsigned: unsignedTransaction,
  credentials: list(credential),
});

/**
 * A transaction on its own, as platform.getTx gives it: codec version, type id, fields, credentials.
 * The input is untrusted. Throws PlatformVmError MALFORMED and UNKNOWN_TYPE_ID.
 */
export function parseTransaction(bytes: Uint8Array): Transaction {
  const { unsigned, credentials } = parseWith('transaction', bytes, signedTransaction.unpack);
  return { id: transactionId(bytes), unsigned, credentials };
}

/** Result of `parseTransaction`. Throws CodecError when a value does not fit its field. */
export function packTransaction(transaction: SignedTransaction): Uint8Array {
  return packWith(signedTransaction, transaction);
}

/** The counterpart of `packUnsignedTransaction`. Throws as `parseTransaction`. */
export function parseUnsignedTransaction(bytes: Uint8Array): UnsignedTx {
  return parseWith('transaction', bytes, unsignedTransaction.unpack);
}

/** The bytes whose sha256 the credentials sign: codec version, type id, fields. */
export function packUnsignedTransaction(unsigned: UnsignedTx): Uint8Array {
  return packWith(unsignedTransaction, unsigned);
}

/** sha256 of the signed bytes with the codec version before them. */
export function transactionId(signedBytes: Uint8Array): Id {
  return sha256Id(signedBytes);
}

/** Room for a transaction after its codec version; those that are larger get room of their own. */
const scratch = Buffer.alloc(256 * 1024);

/**
 * Adds the id to what is read of a transaction within a block or the genesis. It is of the bytes that the transaction would have on
 * its own, that is with a codec version, of which the block has only one for all.
 */
export function identified<Signed extends object>(
  signed: Field<Signed>,
): Field<Signed & { readonly id: Id }> {
  return {
    minBytes: signed.minBytes,
    unpack: (unpacker) => {
      const { offset } = unpacker;
      const transaction = signed.unpack(unpacker);
      return { ...transaction, id: versionedId(unpacker.viewSince(offset)) };
    },
    pack: signed.pack,
  };
}

/** A transaction within a block or the genesis. */
export const transaction: Field<Transaction> = identified(signedTransaction);

/** The id of a transaction whose codec version stands elsewhere. */
function versionedId(signedBytes: Uint8Array): Id {
  const length = CODEC_VERSION_BYTES + signedBytes.length;
  const versioned = length > scratch.length ? Buffer.alloc(length) : scratch.subarray(0, length);
  versioned.writeUInt16BE(CODEC_VERSION);
  versioned.set(signedBytes, CODEC_VERSION_BYTES);
  return transactionId(versioned);
}
