import { z } from 'zod';
import { IdHexSchema } from '../../../platform/http/schemas/hex.schema.js';
import { NetworkSchema } from '../../../platform/http/schemas/network.schema.js';
import { listQuerySchema } from '../../../platform/http/pagination/page-sizes.js';
import {
  AddressesSchema,
  BooleanSchema,
  minimumSchema,
  oneOfSchema,
  SortOrderSchema,
} from '../../../platform/http/schemas/query.schema.js';
import { UTXO_SORT_KEYS } from '../utxo-list.js';
import { MAX_UINT64 } from '../../../avalanche/codec/packer.js';

const BlockchainIdSchema = z.string().meta({
  description: '`p-chain`, `x-chain`, `c-chain`, or the blockchain id of one of them on this network.',
  format: 'primary-chain',
  example: 'p-chain',
});

export const PrimaryChainPathSchema = z.object({ network: NetworkSchema, blockchainId: BlockchainIdSchema });
export type PrimaryChainPath = z.output<typeof PrimaryChainPathSchema>;

export const ListUtxosQuerySchema = listQuerySchema('utxos', {
  addresses: AddressesSchema.meta({
    description:
      'Bech32 addresses of the network, with or without a chain prefix (`P-`, `X-`, `C-`), comma-separated, at most 64 different ' +
      'ones. The list contains the UTXOs that these addresses together can consume. Default: every UTXO of the chain.',
  }).optional(),
  assetId: IdHexSchema.meta({
    description:
      'Only UTXOs of this asset, hex or cb58. Applies to the X-chain only; other chains ignore it.',
  }).optional(),
  minUtxoAmount: minimumSchema({ max: MAX_UINT64 })
    .meta({ description: "Minimum amount, in the asset's smallest unit: nAVAX (10⁻⁹ AVAX) for AVAX." })
    .default(0n),
  includeSpent: BooleanSchema.meta({ description: 'Whether to include consumed UTXOs.' }).default(false),
  sortBy: oneOfSchema(UTXO_SORT_KEYS)
    .meta({ description: '`timestamp` is the time of the block that created the UTXO.' })
    .default('timestamp'),
  sortOrder: SortOrderSchema,
});

export type ListUtxosQuery = z.output<typeof ListUtxosQuerySchema>;
