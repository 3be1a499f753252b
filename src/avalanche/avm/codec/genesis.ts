import { list, struct, text, type Field } from '../../platformvm/codec/field.js';
import type { CreateAssetTx } from '../transaction.js';
import { parseWith } from './parse.js';
import { createAssetFields } from './transaction.js';

/** An asset that is there from the start: the transaction that would have made it, and what it is called besides. */
export interface GenesisAssetFields extends Omit<CreateAssetTx, 'type'> {
  readonly alias: string;
}

/** avalanchego v1.15.0 vms/avm/genesis.go: the assets in the order of their aliases; the first one pays fees. */
export const genesisAssets: Field<readonly GenesisAssetFields[]> = list(
  struct<GenesisAssetFields>({ alias: text, ...createAssetFields }),
);

/** The `genesisData` of the transaction that made the chain. Throws AvmError MALFORMED and UNKNOWN_TYPE_ID. */
export function parseGenesisAssets(genesisBytes: Uint8Array): readonly GenesisAssetFields[] {
  return parseWith('genesis', genesisBytes, genesisAssets);
}
