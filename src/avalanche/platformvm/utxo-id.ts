import { sha256Id } from './codec/sha256.js';
import type { Id } from './ids.js';
import { ID_LENGTH } from '../ids/id.js';

/** The index is a uint64 of which only the lower half is ever used. */
const INDEX_OFFSET = 4;
const TX_ID_OFFSET = 8;

/** One for all: blocks consist of outputs, and what is made for each costs more than its hash. */
const scratch = Buffer.alloc(TX_ID_OFFSET + ID_LENGTH);

/** Of those that inputs spend. */
export function spentIds(inputs: readonly { readonly txId: Id; readonly outputIndex: number }[]): Id[] {
  return inputs.map(({ txId, outputIndex }) => utxoId(txId, outputIndex));
}

/** Of all that a transaction makes, in order. */
export function madeIds(txId: Id, outputs: readonly unknown[]): Id[] {
  return outputs.map((_, outputIndex) => utxoId(txId, outputIndex));
}

/**
 * Id of an output of a transaction: sha256 of the index as uint64 and the transaction's id
 * (avalanchego v1.14.2 vms/components/avax/utxo_id.go and ids/id.go, Prefix). Throws RangeError for what is no id or index.
 */
export function utxoId(txId: Id, outputIndex: number): Id {
  scratch.writeUInt32BE(outputIndex, INDEX_OFFSET);
  if (scratch.write(txId, TX_ID_OFFSET, ID_LENGTH, 'hex') !== ID_LENGTH) {
    throw new RangeError(`${txId} is no id`);
  }
  return sha256Id(scratch);
}
