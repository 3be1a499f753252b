import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { getAddress } from 'viem/utils';
import { ZERO_ADDRESS } from '../../../avalanche/evm/rpc/hex-values.js';
import { toHex } from '../../../avalanche/ids/hex.js';
import { EXAMPLES } from '../../../platform/http/openapi/examples.js';
import { cb58, count, decimal, text, unixSeconds } from '../../../platform/http/openapi/fields.js';
import { PageResponse } from '../../../platform/http/openapi/page.response.js';
import { repeatedIdToString } from '../../../avalanche/ids/repeated-texts.js';
import type { MessageRow, ReportedDelivery, ReportedMessage } from '../message-list.js';
import { MESSAGE_STATUSES, type MessageStatus, messageStatusOf } from '../message-status.js';
import { unpackReceipt } from '../message-tables.js';
import type { MessageDetails } from '../transfers/message-details.js';
import { toAddress, toTransferResponse, TransferResponse } from './transfer.response.js';

const NO_EVM_CHAIN_ID = '0';

export class MessageReceiptResponse {
  @ApiProperty(decimal('Nonce of the message that the receipt is for.', '3'))
  receivedMessageNonce!: string;

  @ApiProperty(text('Recipient of the fee of that message. EIP-55.', EXAMPLES.evmAddress))
  relayerRewardAddress!: string;
}

export class RewardDetails {
  @ApiProperty(
    text(
      'The token of the fee; the zero address if there is no fee, and while the source is not indexed.',
      '0x5aa01B3b5877255cE50cc55e8986a7a5fe29C70e',
    ),
  )
  address!: string;

  @ApiProperty(text('Name of the token; empty until it has been read from the contract.', 'Test Token'))
  name!: string;

  @ApiProperty(text('Symbol of the token; empty until it has been read from the contract.', 'TEST'))
  symbol!: string;

  @ApiProperty(
    count('Number of decimal places of the token; 0 until it has been read from the contract.', 18),
  )
  decimals!: number;

  @ApiProperty({ enum: ['ERC-20'], description: 'Standard of the token.', example: 'ERC-20' })
  ercType!: string;

  @ApiProperty(decimal("Amount in the token's smallest unit.", '1000000000000000000'))
  value!: string;
}

export class SourceTransaction {
  @ApiProperty(
    text(
      'The EVM transaction: 0x and hex.',
      '0xca147f5352a9c14532abf6332e5e7fd647f09fe6a0bd69625312d216f925f0d9',
    ),
  )
  txHash!: string;

  @ApiProperty(unixSeconds('Time of its block.', 1_795_358_421))
  timestamp!: number;

  @ApiProperty(
    decimal("Amount paid for gas, in the smallest unit of the chain's native asset.", '1500000001000000'),
  )
  gasSpent!: string;
}

export class DestinationTransaction extends SourceTransaction {
  @ApiProperty(text("Recipient of the message's fee. EIP-55.", EXAMPLES.evmAddress))
  rewardRedeemer!: string;

  @ApiProperty(text('Address that delivered the message. EIP-55.', EXAMPLES.evmAddress))
  delivererAddress!: string;
}

/** A call that anybody may send. */
export class RetryExecutionCall {
  @ApiProperty(decimal('EVM chain id of the destination; 0 while it is unknown.', '54321'))
  evmChainId!: string;

  @ApiProperty(
    text('The messenger contract on the destination. EIP-55.', '0x7796D8E9B76F21159094051A3cd9b365E3e657f7'),
  )
  to!: string;

  @ApiProperty(text('Input of the call, `retryMessageExecution`: 0x and hex.', '0xfc2d6197'))
  data!: string;
}

export class InterchainMessageResponse {
  @ApiProperty(
    text(
      'Id of the message: hex without 0x.',
      '58ec5e878b20dd52584021acfce681543816cc685ff84b0c65d9c8ea366094b9',
    ),
  )
  messageId!: string;

  @ApiProperty(text('The messenger contract. EIP-55.', '0x7796D8E9B76F21159094051A3cd9b365E3e657f7'))
  icmContractAddress!: string;

  @ApiProperty(
    cb58('The chain that the message comes from.', '2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC'),
  )
  sourceBlockchainId!: string;

  @ApiProperty(
    cb58('The chain that the message is sent to.', 'Pc3AowT6EYBrJV1XKL57rUEyMxHKKjisM2yfQodubgxqH291j'),
  )
  destinationBlockchainId!: string;

  @ApiProperty(decimal('EVM chain id of the source; 0 while it is unknown.', '43112'))
  sourceEvmChainId!: string;

  @ApiProperty(decimal('EVM chain id of the destination; 0 while it is unknown.', '54321'))
  destinationEvmChainId!: string;

  @ApiProperty(decimal('Nonce of the message at its messenger.', '8'))
  messageNonce!: string;

  @ApiProperty(text('Sender of the message. EIP-55.', EXAMPLES.evmAddress))
  from!: string;

  @ApiProperty(
    text('Contract that the message is addressed to. EIP-55.', '0xa4DfF80B4a1D748BF28BC4A271eD834689Ea3407'),
  )
  to!: string;

  @ApiProperty(
    text(
      '0x and hex; `0x` for a message that carries only receipts, which is never executed.',
      '0x66726f6d20656c73657768657265',
    ),
  )
  data!: string;

  @ApiProperty({
    description: 'False for a delivered message whose execution failed; it may still be executed.',
    example: true,
  })
  messageExecuted!: boolean;

  @ApiProperty({
    type: [MessageReceiptResponse],
    description: 'Receipts in this message, for messages in the opposite direction.',
  })
  receipts!: MessageReceiptResponse[];

  @ApiProperty({
    description: 'Whether the receipt for this message has come back and its fee has been credited.',
    example: false,
  })
  receiptDelivered!: boolean;

  @ApiProperty({ type: RewardDetails, description: 'The fee, after any increase.' })
  rewardDetails!: RewardDetails;

  @ApiPropertyOptional({ type: SourceTransaction, description: 'Absent while the source is not indexed.' })
  sourceTransaction?: SourceTransaction;

  @ApiPropertyOptional({
    type: DestinationTransaction,
    description: 'Absent while pending, and where the destination is not indexed.',
  })
  destinationTransaction?: DestinationTransaction;

  @ApiPropertyOptional({
    type: TransferResponse,
    description:
      'The token transfer (ICTT) that the message carries; absent where its data are none. Any contract may send such data: tokens have moved where the message was executed, and are worth what their contracts are.',
  })
  transfer?: TransferResponse;

  @ApiPropertyOptional({
    type: RetryExecutionCall,
    description:
      'Of a message whose execution failed: the call that executes it again. It fails while the reason lasts, and where there is no contract at `to`.',
  })
  retryExecution?: RetryExecutionCall;

  @ApiProperty({
    enum: MESSAGE_STATUSES,
    description:
      'pending: sent, and no delivery is known of (the destination may not be indexed); delivered: also if only its receipt is known; delivered_source_not_indexed: delivered, but the source transaction is not indexed.',
    example: 'delivered',
  })
  status!: MessageStatus;
}

export class ListMessagesResponse extends PageResponse {
  @ApiProperty({ type: [InterchainMessageResponse], description: 'At most pageSize messages.' })
  messages!: InterchainMessageResponse[];
}

export function toMessageResponse(row: MessageRow, details: MessageDetails): InterchainMessageResponse {
  const sourceTransaction = sourceOf(row);
  const destinationTransaction = destinationOf(row);
  const { transfer, retryInput } = details;
  return {
    ...toMessageIdentity(row),
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
    ...(transfer && { transfer: toTransferResponse(row, transfer) }),
    ...(retryInput !== undefined && {
      retryExecution: {
        evmChainId: row.destination_evm_chain_id ?? NO_EVM_CHAIN_ID,
        to: toAddress(row.contract),
        data: retryInput,
      },
    }),
    status: messageStatusOf(row),
  };
}

function sourceOf(row: MessageRow): SourceTransaction | undefined {
  const { source_tx_hash: hash, source_time: time, source_gas_fee: gasSpent } = row;
  if (hash === null || time === null || gasSpent === null) return undefined;
  return { txHash: `0x${toHex(hash)}`, timestamp: Number(time), gasSpent };
}

function destinationOf(row: MessageRow): DestinationTransaction | undefined {
  return isDelivered(row) ? toDestinationTransaction(row) : undefined;
}

function isDelivered(row: MessageRow): row is MessageRow & ReportedDelivery {
  const { destination_tx_hash: hash, destination_time: time, destination_gas_fee: gasSpent } = row;
  const { reward_redeemer: rewardRedeemer, deliverer } = row;
  return hash !== null && time !== null && gasSpent !== null && rewardRedeemer !== null && deliverer !== null;
}

/** Which message it is, and between whom. */
export function toMessageIdentity(row: ReportedMessage) {
  return {
    messageId: toHex(row.message_id),
    icmContractAddress: toAddress(row.contract),
    sourceBlockchainId: repeatedIdToString(toHex(row.source_blockchain_id)),
    destinationBlockchainId: repeatedIdToString(toHex(row.destination_blockchain_id)),
    sourceEvmChainId: row.source_evm_chain_id ?? NO_EVM_CHAIN_ID,
    destinationEvmChainId: row.destination_evm_chain_id ?? NO_EVM_CHAIN_ID,
    messageNonce: row.nonce,
    from: toAddress(row.from_address),
    to: toAddress(row.to_address),
  };
}

export function toDestinationTransaction(row: ReportedDelivery): DestinationTransaction {
  return {
    txHash: `0x${toHex(row.destination_tx_hash)}`,
    timestamp: Number(row.destination_time),
    gasSpent: row.destination_gas_fee,
    rewardRedeemer: toAddress(row.reward_redeemer),
    delivererAddress: toAddress(row.deliverer),
  };
}
