import { toHex } from '../../../avalanche/ids/hex.js';
import type { Id } from '../../../avalanche/platformvm/ids.js';
import { utxoId } from '../../../avalanche/platformvm/utxo-id.js';

/** Codec bytes as hex. */
export function utxosById(
  parse: (bytes: Uint8Array) => { readonly txId: Id; readonly outputIndex: number },
  utxos: readonly Uint8Array[],
): Map<Id, string> {
  return new Map(
    utxos.map((bytes) => {
      const { txId, outputIndex } = parse(bytes);
      return [utxoId(txId, outputIndex), toHex(bytes)];
    }),
  );
}
