import { list, struct, text, type ValueOf } from '../../platformvm/codec/field.js';
import { parseWith } from './bounded-blob.js';
import { createAssetFields } from './transaction.js';

/** An asset that is there from the start: its alias and the transaction that would have made it. */
const genesisAsset = struct({ alias: text, ...createAssetFields });

/** avalanchego v1.15.0 vms/avm/genesis.go: the assets in the order of their aliases; the first one pays fees. */
export const genesisAssets = list(genesisAsset);

/** The `genesisData` of the transaction that made the chain. Throws AvmError MALFORMED and UNKNOWN_TYPE_ID. */
export function parseGenesisAssets(genesisBytes: Uint8Array): ValueOf<typeof genesisAssets> {
  return parseWith('genesis', genesisBytes, genesisAssets);
}
