import { fromHex } from '../ids/hex.js';
import { sha256Id } from './codec/sha256.js';
import type { Id } from './ids.js';

const OUTPUT_INDEX_BYTES = 8;
const ID_BYTES = 32;

/**
 * Id of an output of a transaction: sha256 of the index as uint64 and the transaction's id
 * (avalanchego v1.14.2 vms/components/avax/utxo_id.go and ids/id.go, Prefix).
 */
export function utxoId(txId: Id, outputIndex: number): Id {
  const bytes = new Uint8Array(OUTPUT_INDEX_BYTES + ID_BYTES);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(outputIndex));
  bytes.set(fromHex(txId), OUTPUT_INDEX_BYTES);
  return sha256Id(bytes);
}
