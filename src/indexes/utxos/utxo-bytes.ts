import { packAvmUtxo } from '../../avalanche/avm/codec/output.js';
import type { AvmOutput } from '../../avalanche/avm/output.js';
import { packUtxo } from '../../avalanche/platformvm/codec/utxo.js';
import type { UtxoEntity } from './utxo.entities.js';

/** Parts of the bytes of a UTXO. */
export const PACKED_PROPERTIES = [
  ...(['txId', 'outputIndex', 'assetId', 'amount', 'stakeableLocktime', 'owner'] as const),
  ...(['outputKind', 'groupId', 'payload'] as const),
] as const;

export type PackedUtxo = Pick<UtxoEntity, (typeof PACKED_PROPERTIES)[number]>;

/** One whose creation is known, in the codec of the chain that created it. Throws RangeError for others. */
export function packUtxoRow(row: PackedUtxo): Uint8Array {
  const { txId, outputIndex, assetId, amount, stakeableLocktime, owner: owners } = row;
  if (amount === null || owners === null) {
    throw new RangeError(`the creation of output ${outputIndex} of ${txId} is unknown`);
  }
  const utxo = { txId, outputIndex, assetId };
  return row.outputKind === null
    ? packUtxo({ ...utxo, output: { amount, stakeableLocktime, owners } })
    : packAvmUtxo({ ...utxo, output: avmOutput(row, row.outputKind, owners) });
}

function avmOutput(
  { groupId, payload }: PackedUtxo,
  kind: NonNullable<UtxoEntity['outputKind']>,
  owners: NonNullable<UtxoEntity['owner']>,
): AvmOutput {
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
