import {
  bytes,
  constant,
  id,
  struct,
  uint32,
  uint64,
  type Field,
  type Fields,
} from '../../platformvm/codec/field.js';
import { ownersBody } from '../../platformvm/codec/fields.js';
import { packWith } from '../../platformvm/codec/parse.js';
import { OUTPUT_TYPE_IDS, type AvmOutput, type AvmUtxo } from '../output.js';
import { alternatives } from './alternatives.js';
import { parseWith } from './parse.js';

type OutputByType = { readonly [O in AvmOutput as O['type']]: O };

/**
 * The fields of every output without the type id (avalanchego v1.15.0 vms/secp256k1fx, vms/nftfx, vms/propertyfx); operations
 * have them so.
 */
export const OUTPUT_BODIES: Fields<OutputByType> = {
  Transfer: struct<OutputByType['Transfer']>({
    type: constant('Transfer'),
    amount: uint64,
    owners: ownersBody,
  }),
  Mint: struct<OutputByType['Mint']>({ type: constant('Mint'), owners: ownersBody }),
  NftMint: struct<OutputByType['NftMint']>({
    type: constant('NftMint'),
    groupId: uint32,
    owners: ownersBody,
  }),
  NftTransfer: struct<OutputByType['NftTransfer']>({
    type: constant('NftTransfer'),
    groupId: uint32,
    payload: bytes,
    owners: ownersBody,
  }),
  PropertyMint: struct<OutputByType['PropertyMint']>({ type: constant('PropertyMint'), owners: ownersBody }),
  PropertyOwned: struct<OutputByType['PropertyOwned']>({
    type: constant('PropertyOwned'),
    owners: ownersBody,
  }),
};

/** verify.State: any output. */
export const avmOutput: Field<AvmOutput> = alternatives<AvmOutput>('output', OUTPUT_TYPE_IDS, OUTPUT_BODIES);

const avmUtxo: Field<AvmUtxo> = struct<AvmUtxo>({
  txId: id,
  outputIndex: uint32,
  assetId: id,
  output: avmOutput,
});

/**
 * A UTXO on its own, as avm.getUTXOs gives it: codec version and fields.
 * The input is untrusted. Throws AvmError MALFORMED and UNKNOWN_TYPE_ID.
 */
export function parseAvmUtxo(utxoBytes: Uint8Array): AvmUtxo {
  return parseWith('UTXO', utxoBytes, avmUtxo);
}

/** What `parseAvmUtxo` reads. Throws CodecError when a value does not fit its field. */
export function packAvmUtxo(value: AvmUtxo): Uint8Array {
  return packWith(avmUtxo, value);
}
