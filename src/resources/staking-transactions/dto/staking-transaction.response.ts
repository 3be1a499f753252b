import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { toHex } from '../../../avalanche/ids/hex.js';
import { PRIMARY_NETWORK_ID } from '../../../avalanche/ids/id.js';
import {
  packAddresses,
  repeatedIdToString,
  repeatedNodeIdToString,
} from '../../../avalanche/ids/repeated-texts.js';
import type { Id } from '../../../avalanche/platformvm/ids.js';
import { withoutRestaked } from '../../../avalanche/platformvm/state/rewards.js';
import { allOutputsOf, rewardOwnersOf, stakeOf } from '../../../avalanche/platformvm/transaction.js';
import { BlsCredentials } from '../../../platform/http/openapi/bls-credentials.js';
import { EXAMPLES } from '../../../platform/http/openapi/examples.js';
import {
  bech32List,
  blockNumber,
  cb58,
  count,
  decimal,
  text,
  unixSeconds,
} from '../../../platform/http/openapi/fields.js';
import { PageResponse } from '../../../platform/http/openapi/page.response.js';
import { toPercent } from '../../../platform/http/schemas/percent.js';
import type { AssetLookup } from '../../utxos/asset.repository.js';
import { ChainInfo, describeAsset, UtxoAsset, UtxoResponse } from '../../utxos/utxo.response.js';
import { AutoRenew, autoRenewOf } from '../../validators/auto-renew.response.js';
import {
  STAKING_TX_NAMES,
  type StakerRow,
  type StakingRow,
  type StakingTxName,
} from '../staking-transaction-list.js';
import { sumsOf } from '../staking-tx.js';

class ValidatorAuthority {
  @ApiProperty(bech32List('The owners.', EXAMPLES.address))
  addresses!: string[];

  @ApiProperty(count('Number of owners that must sign.', 1))
  threshold!: number;
}

const assets = (description: string) =>
  ({
    type: UtxoAsset,
    isArray: true,
    description: `${description} By asset, without those of which it is nothing.`,
  }) as const;

export class StakingTransactionResponse {
  @ApiProperty(cb58('Id of the transaction.', 'watPfjXCAYKiLjfm8GGwXPrvsJpqeEXa7UngGpJ6exUf8KRBg'))
  txHash!: string;

  @ApiProperty({
    enum: STAKING_TX_NAMES,
    description: 'Its type.',
    example: 'AddPermissionlessDelegatorTx',
  })
  txType!: StakingTxName;

  @ApiProperty(unixSeconds('Time of the block that accepted it.', 1_795_307_540))
  blockTimestamp!: number;

  @ApiProperty(blockNumber('Height of that block; 0 for the genesis.', '94'))
  blockNumber!: string;

  @ApiProperty(cb58('Id of that block.', 'oq5ruqpxJpqwgPqpFZUfAzNxTz2gk8cwtAYcTU6QbSiL7VTZZ'))
  blockHash!: string;

  @ApiProperty(cb58('The P-chain.', PRIMARY_NETWORK_ID))
  sourceChain!: string;

  @ApiProperty(cb58('The P-chain.', PRIMARY_NETWORK_ID))
  destinationChain!: string;

  @ApiProperty({ type: [UtxoResponse], description: 'The UTXOs that it spent.' })
  consumedUtxos!: UtxoResponse[];

  @ApiProperty({
    type: [UtxoResponse],
    description: 'The UTXOs that it made: outputs, and behind them the stake.',
  })
  emittedUtxos!: UtxoResponse[];

  @ApiProperty(assets('All that its outputs hold, with the stake and what comes back to the payer.'))
  value!: UtxoAsset[];

  @ApiProperty(assets('The fee.'))
  amountBurned!: UtxoAsset[];

  @ApiProperty(assets('Its stake; what was restaked since then is in autoRenew.'))
  amountStaked!: UtxoAsset[];

  @ApiProperty({
    type: [UtxoAsset],
    description: 'Always empty: it is no transaction of an L1.',
    example: [],
  })
  amountL1ValidatorBalanceBurned!: UtxoAsset[];

  @ApiProperty(unixSeconds('Start of the stake, of an auto-renewed validation of its cycle.', 1_795_307_540))
  startTimestamp!: number;

  @ApiProperty(unixSeconds('End of the stake, of an auto-renewed validation of its cycle.', 1_797_035_539))
  endTimestamp!: number;

  @ApiPropertyOptional(text('Validators that take delegations: percentage of their rewards.', '5'))
  delegationFeePercent?: string;

  @ApiProperty(text('The node that validates.', EXAMPLES.nodeId))
  nodeId!: string;

  @ApiProperty(cb58('The subnet that it validates.', PRIMARY_NETWORK_ID))
  subnetId!: string;

  @ApiPropertyOptional(
    decimal(
      "The amount that will be paid out if the validator earns it, in the smallest unit of the stake's asset: of a delegation without the " +
        "validator's fee, of an auto-renewed validation without what is restaked. Absent for subnet validators without stake and while the stake waits to start.",
      '801150179',
    ),
  )
  estimatedReward?: string;

  @ApiPropertyOptional(bech32List('Owners of the rewards.', EXAMPLES.address))
  rewardAddresses?: string[];

  @ApiProperty(text('Its memo: 0x and hex.', '0x'))
  memo!: string;

  @ApiPropertyOptional({ type: BlsCredentials, description: "The validator's key." })
  blsCredentials?: BlsCredentials;

  @ApiPropertyOptional(count('Auto-renewed: length of a cycle, as it was asked for. Seconds.', 15_552_000))
  period?: number;

  @ApiPropertyOptional(
    count('Auto-renewed: millionths of the rewards to be restaked, as it was asked for.', 750_000),
  )
  autoCompoundRewardShares?: number;

  @ApiPropertyOptional({ type: ValidatorAuthority, description: 'Auto-renewed: who may change it.' })
  validatorAuthority?: ValidatorAuthority;

  @ApiPropertyOptional({ type: AutoRenew, description: 'Auto-renewed: as it is now.' })
  autoRenew?: AutoRenew;
}

export class ListStakingTransactionsResponse extends PageResponse {
  @ApiProperty({ type: [StakingTransactionResponse], description: 'At most pageSize transactions.' })
  transactions!: StakingTransactionResponse[];

  @ApiProperty({ type: ChainInfo, description: 'The chain and network that the transactions belong to.' })
  chainInfo!: ChainInfo;
}

/** Of the answer, besides the transaction itself. */
interface Surroundings {
  /** The UTXOs that it spent and made. */
  readonly consumed: UtxoResponse[];
  readonly emitted: UtxoResponse[];
  readonly assetOf: AssetLookup;
  readonly hrp: string;
}

export function toStakingTransactionResponse(
  tx: StakingRow,
  { consumed, emitted, assetOf, hrp }: Surroundings,
): StakingTransactionResponse {
  const { unsigned, staker } = tx;
  const stake = stakeOf(unsigned);
  const outputs = allOutputsOf(unsigned);
  const shown = (sums: ReturnType<typeof sumsOf>) => sums.map((sum) => toAsset(sum, assetOf));
  return {
    txHash: repeatedIdToString(tx.txId),
    txType: `${unsigned.type}Tx`,
    blockTimestamp: tx.blockTime,
    blockNumber: tx.blockHeight.toString(),
    blockHash: repeatedIdToString(tx.blockId),
    sourceChain: PRIMARY_NETWORK_ID,
    destinationChain: PRIMARY_NETWORK_ID,
    consumedUtxos: consumed,
    emittedUtxos: emitted,
    value: shown(sumsOf({ of: outputs, sign: 1n })),
    amountBurned: shown(sumsOf({ of: unsigned.inputs, sign: 1n }, { of: outputs, sign: -1n })),
    amountStaked: shown(sumsOf({ of: stake, sign: 1n })),
    amountL1ValidatorBalanceBurned: [],
    startTimestamp: staker.start,
    endTimestamp: staker.end,
    nodeId: repeatedNodeIdToString(staker.nodeId),
    subnetId: repeatedIdToString(staker.subnetId),
    memo: `0x${toHex(unsigned.memo)}`,
    ...rewards(tx, hrp),
    ...ofValidator(tx, hrp),
  };
}

function toAsset({ assetId, amount }: { assetId: Id; amount: bigint }, assetOf: AssetLookup): UtxoAsset {
  const described = describeAsset({ assetId, outputKind: null }, assetOf);
  return { assetId: repeatedIdToString(assetId), ...described, amount: amount.toString() };
}

function rewards({ unsigned, staker }: StakingRow, hrp: string): Partial<StakingTransactionResponse> {
  const owners = rewardOwnersOf(unsigned);
  if (owners.length === 0) return {};
  const rewardAddresses = packAddresses(new Set(owners.flatMap(({ addresses }) => addresses)), hrp);
  if (staker.status === 'pending') return { rewardAddresses };
  return { estimatedReward: paidOut(staker).toString(), rewardAddresses };
}

function paidOut(staker: StakerRow): bigint {
  if (staker.kind === 'delegator') return staker.potentialReward - staker.validatorPart;
  const { potentialReward, autoRenewal } = staker;
  const restakes = autoRenewal !== null && autoRenewal.nextPeriod > 0;
  return withoutRestaked(potentialReward, restakes ? autoRenewal.autoCompoundShares : null);
}

function ofValidator({ unsigned, staker }: StakingRow, hrp: string): Partial<StakingTransactionResponse> {
  return {
    ...('shares' in unsigned ? { delegationFeePercent: toPercent(unsigned.shares) } : {}),
    ...('signer' in unsigned && unsigned.signer !== null
      ? {
          blsCredentials: {
            publicKey: `0x${toHex(unsigned.signer.publicKey)}`,
            proofOfPossession: `0x${toHex(unsigned.signer.proofOfPossession)}`,
          },
        }
      : {}),
    ...(unsigned.type === 'AddAutoRenewedValidator'
      ? {
          period: Number(unsigned.period),
          autoCompoundRewardShares: unsigned.autoCompoundShares,
          validatorAuthority: {
            addresses: packAddresses(unsigned.validatorAuthority.addresses, hrp),
            threshold: unsigned.validatorAuthority.threshold,
          },
        }
      : {}),
    ...(staker.kind === 'validator' ? autoRenewOf(staker, hrp) : {}),
  };
}
