import { id, struct, uint32, type ValueOf } from './field.js';
import { output } from './fields.js';
import { packWith, parseWith } from './bounded-blob.js';

/** avalanchego v1.14.2 vms/components/avax/utxo.go. */
export const utxo = struct({ txId: id, outputIndex: uint32, assetId: id, output });

/** An output together with where it comes from. */
export type Utxo = ValueOf<typeof utxo>;

/**
 * A UTXO on its own, as platform.getUTXOs gives it: codec version and fields.
 * The input is untrusted. Throws PlatformVmError MALFORMED and UNKNOWN_TYPE_ID.
 */
export function parseUtxo(bytes: Uint8Array): Utxo {
  return parseWith('UTXO', bytes, utxo.unpack);
}

/** Result of `parseUtxo`. Throws CodecError when a value does not fit its field. */
export function packUtxo(value: Utxo): Uint8Array {
  return packWith(utxo, value);
}
