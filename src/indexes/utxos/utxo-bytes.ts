import { packAvmUtxo } from '../../avalanche/avm/codec/output.js';
import type { AvmOutput } from '../../avalanche/avm/output.js';
import { packUtxo } from '../../avalanche/platformvm/codec/utxo.js';
import type { OutputOwners } from '../../avalanche/platformvm/output.js';
import type { OutputForm } from './utxo.js';
import { OUTPUT_FORM, UTXO, type UtxoRow } from './utxo-fields.js';

/** In the codec of the chain that created it. */
export function packUtxoRow(row: UtxoRow): Uint8Array {
  const utxo = UTXO.read(row);
  const form = OUTPUT_FORM.read(row);
  return form === null
    ? packUtxo(utxo)
    : packAvmUtxo({ ...utxo, output: avmOutput(form, utxo.output.owners) });
}

function avmOutput({ kind, groupId, payload }: OutputForm, owners: OutputOwners): AvmOutput {
  switch (kind) {
    case 'mint':
      return { type: 'Mint', owners };
    case 'nft_mint':
      return { type: 'NftMint', groupId: groupId ?? 0, owners };
    case 'nft_transfer':
      return { type: 'NftTransfer', groupId: groupId ?? 0, payload: payload ?? new Uint8Array(), owners };
    case 'property_mint':
      return { type: 'PropertyMint', owners };
    case 'property_owned':
      return { type: 'PropertyOwned', owners };
  }
}
