import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { getAddress } from 'viem/utils';
import { ZERO_ADDRESS } from '../../avalanche/evm/hex-values.js';
import { toHex } from '../../avalanche/ids/hex.js';
import { repeatedIdToString } from '../../http/repeated-ids.js';
import type { MessageRow } from '../message-list.js';
import { unpackReceipt } from '../message-tables.js';

const DECIMAL = { type: 'string', pattern: '^\\d+$' } as const;
const ADDRESS = '0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC';
const BLOCKCHAIN_ID = '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5';
const NO_EVM_CHAIN_ID = '0';

export const MESSAGE_STATUSES = ['pending', 'delivered', 'delivered_source_not_indexed'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

export class MessageReceiptResponse {
  @ApiProperty({ ...DECIMAL, example: '3' })
  receivedMessageNonce: string;

  @ApiProperty({ example: ADDRESS })
  relayerRewardAddress: string;
}

export class RewardDetails {
  @ApiProperty({
    example: '0x5aa01B3b5877255cE50cc55e8986a7a5fe29C70e',
    description: 'The zero address without a fee, and while the source is not indexed.',
  })
  address: string;

  @ApiProperty({ example: 'Test Token', description: 'Empty while the token has not been asked.' })
  name: string;

  @ApiProperty({ example: 'TEST', description: 'Empty while the token has not been asked.' })
  symbol: string;

  @ApiProperty({ type: 'integer', example: 18 })
  decimals: number;

  @ApiProperty({ enum: ['ERC-20'] })
  ercType: string;

  @ApiProperty({ ...DECIMAL, example: '1000000000000000000', description: "In the token's smallest unit." })
  value: string;
}

export class SourceTransaction {
  @ApiProperty({ example: '0x4297f32a3d78577f0dd6543772f1772eb2e21dc976a04e7c62ba69d1dbf220e3' })
  txHash: string;

  @ApiProperty({ type: 'integer', example: 1795301725, description: 'UNIX seconds.' })
  timestamp: number;

  @ApiProperty({
    ...DECIMAL,
    example: '1000000',
    description: "What it paid for its gas, in the smallest unit of the chain's native asset.",
  })
  gasSpent: string;
}

export class DestinationTransaction extends SourceTransaction {
  @ApiProperty({ example: ADDRESS, description: "Who gets the message's fee." })
  rewardRedeemer: string;

  @ApiProperty({ example: ADDRESS })
  delivererAddress: string;
}

export class InterchainMessageResponse {
  @ApiProperty({ example: '25e7bcf7304516a24f9ea597048ada3680aeb85e72ef2fa03dd7aee0ec62da30' })
  messageId: string;

  @ApiProperty({ example: '0x253b2784c75e510dD0fF1da844684a1aC0aa5fcf' })
  icmContractAddress: string;

  @ApiProperty({ example: BLOCKCHAIN_ID })
  sourceBlockchainId: string;

  @ApiProperty({ example: BLOCKCHAIN_ID })
  destinationBlockchainId: string;

  @ApiProperty({ ...DECIMAL, example: '43114', description: '0 while it is not known.' })
  sourceEvmChainId: string;

  @ApiProperty({ ...DECIMAL, example: '43114', description: '0 while it is not known.' })
  destinationEvmChainId: string;

  @ApiProperty({ ...DECIMAL, example: '7' })
  messageNonce: string;

  @ApiProperty({ example: ADDRESS })
  from: string;

  @ApiProperty({ example: ADDRESS })
  to: string;

  @ApiProperty({
    example: '0x68656c6c6f',
    description: '`0x` for a message of nothing but receipts, which is never executed.',
  })
  data: string;

  @ApiProperty({
    description: 'False for a delivered message whose execution failed; it may still be executed.',
  })
  messageExecuted: boolean;

  @ApiProperty({
    type: [MessageReceiptResponse],
    description: 'That it carries, of messages that went the other way.',
  })
  receipts: MessageReceiptResponse[];

  @ApiProperty({ description: 'Whether its own receipt has come back and its fee was credited.' })
  receiptDelivered: boolean;

  @ApiProperty({ type: RewardDetails, description: 'The fee as last raised.' })
  rewardDetails: RewardDetails;

  @ApiPropertyOptional({ type: SourceTransaction, description: 'Absent while the source is not indexed.' })
  sourceTransaction?: SourceTransaction;

  @ApiPropertyOptional({ type: DestinationTransaction, description: 'Absent while pending.' })
  destinationTransaction?: DestinationTransaction;

  @ApiProperty({ enum: MESSAGE_STATUSES })
  status: MessageStatus;
}

export class ListMessagesResponse {
  @ApiPropertyOptional({ description: 'Absent on the last page.' })
  nextPageToken?: string;

  @ApiProperty({ type: [InterchainMessageResponse] })
  messages: InterchainMessageResponse[];
}

export function toMessageResponse(row: MessageRow): InterchainMessageResponse {
  const sourceTransaction = sourceOf(row);
  const destinationTransaction = destinationOf(row);
  return {
    messageId: toHex(row.message_id),
    icmContractAddress: toAddress(row.contract),
    sourceBlockchainId: repeatedIdToString(row.source_blockchain_id),
    destinationBlockchainId: repeatedIdToString(row.destination_blockchain_id),
    sourceEvmChainId: row.source_evm_chain_id ?? NO_EVM_CHAIN_ID,
    destinationEvmChainId: row.destination_evm_chain_id ?? NO_EVM_CHAIN_ID,
    messageNonce: row.nonce,
    from: toAddress(row.from_address),
    to: toAddress(row.to_address),
    data: `0x${toHex(row.data)}`,
    messageExecuted: row.is_executed,
    receipts: row.receipts.map(unpackReceipt).map(({ receivedMessageNonce, relayerRewardAddress }) => ({
      receivedMessageNonce: receivedMessageNonce.toString(),
      relayerRewardAddress: getAddress(relayerRewardAddress),
    })),
    receiptDelivered: row.is_credited ?? false,
    rewardDetails: {
      address: row.fee_token === null ? ZERO_ADDRESS : toAddress(row.fee_token),
      name: row.token_name ?? '',
      symbol: row.token_symbol ?? '',
      decimals: row.token_decimals ?? 0,
      ercType: 'ERC-20',
      value: row.fee_amount ?? '0',
    },
    ...(sourceTransaction && { sourceTransaction }),
    ...(destinationTransaction && { destinationTransaction }),
    status: statusOf({
      isSent: sourceTransaction !== undefined,
      isDelivered: destinationTransaction !== undefined,
    }),
  };
}

/** One of the two is, or there were no row. */
function statusOf({ isSent, isDelivered }: { isSent: boolean; isDelivered: boolean }): MessageStatus {
  if (!isSent) return 'delivered_source_not_indexed';
  return isDelivered ? 'delivered' : 'pending';
}

function sourceOf(row: MessageRow): SourceTransaction | undefined {
  const { source_tx_hash: hash, source_time: time, source_gas_fee: gasSpent } = row;
  if (hash === null || time === null || gasSpent === null) return undefined;
  return { txHash: `0x${toHex(hash)}`, timestamp: Number(time), gasSpent };
}

function destinationOf(row: MessageRow): DestinationTransaction | undefined {
  const { destination_tx_hash: hash, destination_time: time, destination_gas_fee: gasSpent } = row;
  const { reward_redeemer: rewardRedeemer, deliverer } = row;
  if (hash === null || time === null || gasSpent === null || rewardRedeemer === null || deliverer === null) {
    return undefined;
  }
  return {
    txHash: `0x${toHex(hash)}`,
    timestamp: Number(time),
    gasSpent,
    rewardRedeemer: toAddress(rewardRedeemer),
    delivererAddress: toAddress(deliverer),
  };
}

/** EIP-55. */
function toAddress(bytes: Buffer): string {
  return getAddress(`0x${toHex(bytes)}`);
}
