import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PRIMARY_NETWORK_ID } from '../../avalanche/ids/id.js';
import { packRpcHex } from '../../avalanche/ids/rpc-hex.js';
import { packAddresses, repeatedIdToString } from '../../avalanche/ids/repeated-texts.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { PUBLIC_NETWORKS } from '../../platform/config/network-names.js';
import { PRIMARY_CHAIN_NAMES } from '../../platform/database/chains.js';
import type { IndexedNetwork } from '../../indexes/overview/indexed-networks.js';
import { EXAMPLES } from '../../platform/http/openapi/examples.js';
import {
  bech32List,
  blockNumber,
  cb58,
  count,
  decimal,
  text,
  uint64,
  unixSeconds,
} from '../../platform/http/openapi/fields.js';
import { PageResponse } from '../../platform/http/openapi/page.response.js';
import { toInteger } from '../../platform/http/adapter/lossless-json.js';
import { packUtxoRow } from '../../indexes/utxos/utxo-bytes.js';
import { OUTPUT_KINDS } from '../../indexes/utxos/utxo.js';
import type { AssetLookup } from './asset.repository.js';
import type { UtxoRow } from './utxo-list.js';

/** Of the chains, the X-chain alone had a time before blocks. The P-chain's block 0 stands for its genesis. */
const WITHOUT_BLOCK = '-1 for the genesis of the X-chain, and for what it did before it had blocks.';

export class UtxoAsset {
  @ApiProperty(
    cb58('The transaction that created the asset.', '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'),
  )
  assetId!: string;

  @ApiProperty(text('Name of the asset; empty while the asset is not indexed.', 'Avalanche'))
  name!: string;

  @ApiProperty(text('Symbol of the asset; empty while the asset is not indexed.', 'AVAX'))
  symbol!: string;

  @ApiProperty(count('Number of decimal places of the asset.', 9))
  denomination!: number;

  @ApiProperty({
    enum: ['secp256k1', 'nft', 'property'],
    description: 'Kind of the output: an amount, an NFT or a property.',
    example: 'secp256k1',
  })
  type!: string;

  @ApiProperty(decimal("Amount in the asset's smallest unit: nAVAX for AVAX.", '1000000000'))
  amount!: string;
}

export class UtxoResponse {
  @ApiProperty(bech32List('Owners of the UTXO.', EXAMPLES.address))
  addresses!: string[];

  @ApiProperty({ type: UtxoAsset, description: 'The asset that the UTXO holds.' })
  asset!: UtxoAsset;

  @ApiProperty(
    cb58(
      'The chain on which the UTXO can be or was consumed; for exported UTXOs, this is not the chain that created them.',
      PRIMARY_NETWORK_ID,
    ),
  )
  consumedOnChainId!: string;

  @ApiPropertyOptional(
    cb58(
      'The transaction that consumed the UTXO. Absent while it is unspent; for exported UTXOs, until they are imported on the other chain.',
      'Nm7Cccuk9ByfUYhUj2uWX5rjymwYcq7CyAvGjvyBCbS3QRqfj',
    ),
  )
  consumingTxHash?: string;

  @ApiProperty(
    cb58(
      'The chain whose transaction created the UTXO.',
      '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed',
    ),
  )
  createdOnChainId!: string;

  @ApiProperty(
    cb58('Hash of the transaction and output index.', '2jFZnJB7e9YAF9bkfdfNjmZ1e4cyHvVcXGQQzBoN89oBc4XcWg'),
  )
  utxoId!: string;

  @ApiProperty(
    text(
      'Codec bytes with checksum: 0x and hex, as nodes return them.',
      '0x00007de9423127101024b097a6035ab2e6fce8aea2c5aed0824b2cfeca3312506a3400000001dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db00000007000000003b9aca00000000000000000000000001000000013cb7d3842e8cee6a0ebd09f1fe884f6861e1b29cd77fa4d2',
    ),
  )
  utxoBytes!: string;

  @ApiProperty(decimal("Amount in the asset's smallest unit: nAVAX for AVAX.", '1000000000'))
  amount!: string;

  @ApiProperty(cb58('The same as in asset.', '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'))
  assetId!: string;

  @ApiProperty(
    blockNumber(
      `Height of the block that created the UTXO, on the chain that created it; ${WITHOUT_BLOCK}`,
      '24',
    ),
  )
  blockNumber!: string;

  @ApiProperty(
    unixSeconds(
      'Time of the block that created the UTXO; an estimate if the X-chain had no blocks then.',
      1_795_359_493,
    ),
  )
  blockTimestamp!: number;

  @ApiPropertyOptional(blockNumber(`Height of the block that consumed the UTXO; ${WITHOUT_BLOCK}`, '25'))
  consumingBlockNumber?: string;

  @ApiPropertyOptional(
    unixSeconds('Time of the block that consumed the UTXO; an estimate likewise.', 1_795_359_494),
  )
  consumingBlockTimestamp?: number;

  /** A bigint above 2^53: lock times are uint64, and "forever" is written as the largest. */
  @ApiProperty(
    uint64('UNIX seconds until which the owners cannot consume the UTXO; 0 means that they can at once.', 0),
  )
  platformLocktime!: number | bigint;

  @ApiProperty(count('Index among the outputs of its transaction.', 1))
  outputIndex!: number;

  @ApiPropertyOptional({
    enum: ['VALIDATOR', 'DELEGATOR', 'VALIDATOR_FEE'],
    description:
      'Rewards only: whether it is for a validation, for a delegation, or the validator’s fee from its delegators’ rewards.',
    example: 'VALIDATOR',
  })
  rewardType?: string;

  @ApiPropertyOptional(
    uint64('UNIX seconds until which the UTXO can be staked but not transferred.', 1_795_393_710),
  )
  stakeableLocktime?: number | bigint;

  @ApiProperty({ description: 'Whether the UTXO is locked in an active or pending stake.', example: false })
  staked!: boolean;

  @ApiProperty(count('Number of owners that must sign.', 1))
  threshold!: number;

  @ApiProperty(
    cb58('The transaction that created the UTXO.', 'xTEScVLc1yfPLYT1VD2wig8pWiiPtj1MB1JA2AiSMexUye3aG'),
  )
  txHash!: string;

  @ApiPropertyOptional(unixSeconds('Stakes only: end of the stake.', 1_797_899_537))
  utxoEndTimestamp?: number;

  @ApiPropertyOptional(unixSeconds('Stakes only: start of the stake.', 1_795_307_538))
  utxoStartTimestamp?: number;

  @ApiProperty({
    enum: ['STAKE', 'TRANSFER', ...OUTPUT_KINDS.map((kind) => kind.toUpperCase())],
    description:
      'STAKE: is returned when a stake ends, or may only be staked; TRANSFER: any other amount; the other types occur on the X-chain.',
    example: 'TRANSFER',
  })
  utxoType!: string;
}

export class ChainInfo {
  @ApiProperty({
    enum: Object.values(PRIMARY_CHAIN_NAMES),
    description: 'The requested chain.',
    example: 'p-chain',
  })
  chainName!: string;

  @ApiProperty({ enum: PUBLIC_NETWORKS, description: 'The requested network.', example: 'fuji' })
  network!: NetworkName;
}

export class ListUtxosResponse extends PageResponse {
  @ApiProperty({ type: [UtxoResponse], description: 'At most pageSize UTXOs.' })
  utxos!: UtxoResponse[];

  @ApiProperty({ type: ChainInfo, description: 'The chain and network that the UTXOs belong to.' })
  chainInfo!: ChainInfo;
}

/** `assets` are those recorded by the X-chain, by id in hex. */
export function toUtxoResponse(row: UtxoRow, network: IndexedNetwork, assetOf: AssetLookup): UtxoResponse {
  const assetId = repeatedIdToString(row.assetId);
  const { owner, stakeableLocktime } = row;
  const amount = row.amount.toString();
  return {
    addresses: packAddresses(owner.addresses, network.hrp),
    asset: { assetId, ...describeAsset(row, assetOf), amount },
    consumedOnChainId: repeatedIdToString(row.spendableOnChainId),
    createdOnChainId: repeatedIdToString(row.createdOnChainId),
    utxoId: repeatedIdToString(row.utxoId),
    utxoBytes: packRpcHex(packUtxoRow(row)),
    amount,
    assetId,
    blockNumber: row.blockHeight.toString(),
    blockTimestamp: row.blockTime,
    platformLocktime: toInteger(owner.locktime),
    outputIndex: row.outputIndex,
    staked: row.isStaked,
    threshold: owner.threshold,
    txHash: repeatedIdToString(row.txId),
    utxoType: utxoTypeOf(row),
    ...(stakeableLocktime === null ? {} : { stakeableLocktime: toInteger(stakeableLocktime) }),
    ...(row.rewardType === null ? {} : { rewardType: row.rewardType }),
    ...(row.stakeStart === null ? {} : { utxoStartTimestamp: row.stakeStart }),
    ...(row.stakeEnd === null ? {} : { utxoEndTimestamp: row.stakeEnd }),
    ...(row.isStaked ? {} : consumption(row)),
  };
}

function consumption(row: UtxoRow): Partial<UtxoResponse> {
  const { consumingTxId, consumingBlockHeight, consumingBlockTime } = row;
  return {
    ...(consumingTxId === null ? {} : { consumingTxHash: repeatedIdToString(consumingTxId) }),
    ...(consumingBlockHeight === null ? {} : { consumingBlockNumber: consumingBlockHeight.toString() }),
    ...(consumingBlockTime === null ? {} : { consumingBlockTimestamp: consumingBlockTime }),
  };
}

function utxoTypeOf({ outputKind, isStakeOutput, stakeableLocktime }: UtxoRow): string {
  if (outputKind !== null) return outputKind.toUpperCase();
  return isStakeOutput || (stakeableLocktime ?? 0n) !== 0n ? 'STAKE' : 'TRANSFER';
}

export function describeAsset(
  { assetId, outputKind }: Pick<UtxoRow, 'assetId' | 'outputKind'>,
  assetOf: AssetLookup,
): Omit<UtxoAsset, 'assetId' | 'amount'> {
  const { name, symbol, denomination } = assetOf(assetId);
  // An asset may be of several kinds: what the output is decides.
  if (outputKind === null || outputKind === 'mint') {
    return { name, symbol, denomination, type: 'secp256k1' };
  }
  return { name, symbol, denomination, type: outputKind.startsWith('nft') ? 'nft' : 'property' };
}
