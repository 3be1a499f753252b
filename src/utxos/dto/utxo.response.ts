import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { packAddress } from '../../avalanche/ids/address.js';
import { toHex } from '../../avalanche/ids/hex.js';
import { idToString } from '../../avalanche/ids/id.js';
import { packRpcHex } from '../../avalanche/ids/rpc-hex.js';
import type { NetworkName } from '../../config/config.module.js';
import type { IndexedNetwork } from '../../database/indexed-networks.js';
import { repeatedIdToString } from '../../http/repeated-ids.js';
import { toInteger } from '../../http/lossless-json.js';
import { packUtxoRow } from '../../utxo-store/utxo-bytes.js';
import { OUTPUT_KINDS } from '../../utxo-store/utxo-fields.js';
import type { PrimaryChain } from '../../utxo-store/utxo.js';
import type { Asset } from '../asset.repository.js';
import type { UtxoRow } from '../utxo-list.js';

const DECIMAL = { type: 'string', pattern: '^\\d+$' } as const;
const UINT64 = { type: 'integer', format: 'uint64', minimum: 0 } as const;

export const CHAIN_NAMES = { P: 'p-chain', X: 'x-chain', C: 'c-chain' } as const satisfies Record<
  PrimaryChain,
  string
>;

export class UtxoAsset {
  @ApiProperty()
  assetId: string;

  @ApiProperty({ description: 'Empty while the asset is not indexed.' })
  name: string;

  @ApiProperty({ description: 'Empty while the asset is not indexed.' })
  symbol: string;

  @ApiProperty({ type: 'integer' })
  denomination: number;

  @ApiProperty({ enum: ['secp256k1', 'nft', 'property'] })
  type: string;

  @ApiProperty(DECIMAL)
  amount: string;
}

export class UtxoResponse {
  @ApiProperty({ type: [String], description: 'Bech32 without a chain in front.' })
  addresses: string[];

  @ApiProperty({ type: UtxoAsset })
  asset: UtxoAsset;

  @ApiProperty({
    description: 'Where it can be consumed, or was; of exported UTXOs not the chain they were created on.',
  })
  consumedOnChainId: string;

  @ApiPropertyOptional({
    description:
      'Absent while unspent; of exported UTXOs, until the chain that they went to has imported them.',
  })
  consumingTxHash?: string;

  @ApiProperty()
  createdOnChainId: string;

  @ApiProperty()
  utxoId: string;

  @ApiProperty({ description: '0x, codec bytes with checksum in hex, as a node gives them.' })
  utxoBytes: string;

  @ApiProperty(DECIMAL)
  amount: string;

  @ApiProperty()
  assetId: string;

  @ApiProperty(DECIMAL)
  blockNumber: string;

  @ApiProperty({ type: 'integer' })
  blockTimestamp: number;

  @ApiPropertyOptional(DECIMAL)
  consumingBlockNumber?: string;

  @ApiPropertyOptional({ type: 'integer' })
  consumingBlockTimestamp?: number;

  /** A bigint above 2^53: lock times are uint64, and "for ever" is written as the largest. */
  @ApiProperty(UINT64)
  platformLocktime: number | bigint;

  @ApiProperty({ type: 'integer' })
  outputIndex: number;

  @ApiPropertyOptional({ enum: ['VALIDATOR', 'DELEGATOR', 'VALIDATOR_FEE'] })
  rewardType?: string;

  @ApiPropertyOptional(UINT64)
  stakeableLocktime?: number | bigint;

  @ApiProperty()
  staked: boolean;

  @ApiProperty({ type: 'integer' })
  threshold: number;

  @ApiProperty()
  txHash: string;

  @ApiPropertyOptional({ type: 'integer' })
  utxoEndTimestamp?: number;

  @ApiPropertyOptional({ type: 'integer' })
  utxoStartTimestamp?: number;

  @ApiProperty({ enum: ['STAKE', 'TRANSFER', ...OUTPUT_KINDS.map((kind) => kind.toUpperCase())] })
  utxoType: string;
}

export class ChainInfo {
  @ApiProperty({ enum: Object.values(CHAIN_NAMES) })
  chainName: string;

  @ApiProperty({ enum: ['mainnet', 'fuji'] })
  network: NetworkName;
}

export class ListUtxosResponse {
  @ApiPropertyOptional({ description: 'Absent on the last page.' })
  nextPageToken?: string;

  @ApiProperty({ type: [UtxoResponse] })
  utxos: UtxoResponse[];

  @ApiProperty({ type: ChainInfo })
  chainInfo: ChainInfo;
}

/** `assets` are those that the X-chain tells of, by id in hex. */
export function toUtxoResponse(
  row: UtxoRow,
  network: IndexedNetwork,
  assets: ReadonlyMap<string, Asset>,
): UtxoResponse {
  const assetId = repeatedIdToString(row.asset_id);
  const stakeableLocktime = row.stakeable_locktime ?? '0';
  return {
    addresses: row.owner_addresses.map((bytes) => packAddress({ hrp: network.hrp, bytes })),
    asset: { assetId, ...describeAsset(row, network, assets), amount: row.amount },
    consumedOnChainId: repeatedIdToString(row.spendable_on_chain_id),
    createdOnChainId: repeatedIdToString(row.created_on_chain_id),
    utxoId: idToString(row.utxo_id),
    utxoBytes: packRpcHex(packUtxoRow(row)),
    amount: row.amount,
    assetId,
    blockNumber: row.block_height,
    blockTimestamp: Number(row.block_time),
    platformLocktime: toInteger(row.owner_locktime),
    outputIndex: Number(row.output_index),
    staked: row.staked,
    threshold: row.owner_threshold,
    txHash: idToString(row.tx_id),
    utxoType: utxoTypeOf(row),
    ...(row.stakeable_locktime === null ? {} : { stakeableLocktime: toInteger(stakeableLocktime) }),
    ...(row.reward_type === null ? {} : { rewardType: row.reward_type }),
    ...(row.stake_start === null ? {} : { utxoStartTimestamp: Number(row.stake_start) }),
    ...(row.stake_end === null ? {} : { utxoEndTimestamp: Number(row.stake_end) }),
    ...(row.staked ? {} : consumption(row)),
  };
}

function consumption(row: UtxoRow): Partial<UtxoResponse> {
  return {
    ...(row.consuming_tx_id === null ? {} : { consumingTxHash: idToString(row.consuming_tx_id) }),
    ...(row.consuming_block_height === null ? {} : { consumingBlockNumber: row.consuming_block_height }),
    ...(row.consuming_block_time === null
      ? {}
      : { consumingBlockTimestamp: Number(row.consuming_block_time) }),
  };
}

function utxoTypeOf({ output_kind, is_stake_output, stakeable_locktime }: UtxoRow): string {
  if (output_kind !== null) return output_kind.toUpperCase();
  return is_stake_output || (stakeable_locktime ?? '0') !== '0' ? 'STAKE' : 'TRANSFER';
}

/** What assets are called stands on the X-chain; of AVAX it is known. */
function describeAsset(
  { asset_id, output_kind }: UtxoRow,
  { avaxAssetId }: IndexedNetwork,
  assets: ReadonlyMap<string, Asset>,
): Omit<UtxoAsset, 'assetId' | 'amount'> {
  const assetId = toHex(asset_id);
  if (assetId === avaxAssetId) return AVAX;
  const { name, symbol, denomination } = assets.get(assetId) ?? UNKNOWN_ASSET;
  // An asset may be of several kinds: what the output is decides.
  if (output_kind === null || output_kind === 'mint')
    return { name, symbol, denomination, type: 'secp256k1' };
  return { name, symbol, denomination, type: output_kind.startsWith('nft') ? 'nft' : 'property' };
}

const AVAX = { name: 'Avalanche', symbol: 'AVAX', denomination: 9, type: 'secp256k1' };
const UNKNOWN_ASSET: Asset = { name: '', symbol: '', denomination: 0 };
