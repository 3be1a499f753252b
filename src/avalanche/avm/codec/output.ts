import { bytes, id, struct, uint32, uint64, variants, type ValueOf } from '../../platformvm/codec/field.js';
import { ownersBody } from '../../platformvm/codec/fields.js';
import { packWith } from '../../platformvm/codec/bounded-blob.js';
import { parseWith } from './bounded-blob.js';

const owned = { owners: ownersBody };

/** verify.State: any output (avalanchego v1.15.0 vms/avm/txs/parser.go with secp256k1fx, nftfx and propertyfx). */
export const avmOutput = variants('output', {
  Mint: [6, owned], // the right to make more of a fungible asset
  Transfer: [7, { amount: uint64, ...owned }], // an amount of a fungible asset
  NftMint: [10, { groupId: uint32, ...owned }], // the right to make NFTs of one group
  NftTransfer: [11, { groupId: uint32, payload: bytes, ...owned }], // one NFT
  PropertyMint: [15, owned], // the right to hand out a property
  PropertyOwned: [16, owned], // one property
});

const avmUtxo = struct({ txId: id, outputIndex: uint32, assetId: id, output: avmOutput });

/** An output together with where it comes from. */
export type AvmUtxo = ValueOf<typeof avmUtxo>;

/**
 * A UTXO on its own, as avm.getUTXOs gives it: codec version and fields.
 * The input is untrusted. Throws AvmError MALFORMED and UNKNOWN_TYPE_ID.
 */
export function parseAvmUtxo(utxoBytes: Uint8Array): AvmUtxo {
  return parseWith('UTXO', utxoBytes, avmUtxo);
}

/** Result of `parseAvmUtxo`. Throws CodecError when a value does not fit its field. */
export function packAvmUtxo(value: AvmUtxo): Uint8Array {
  return packWith(avmUtxo, value);
}
