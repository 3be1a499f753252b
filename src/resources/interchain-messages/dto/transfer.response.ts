import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { getAddress } from 'viem/utils';
import { TRANSFER_KINDS, type TransferPayload } from '../../../avalanche/icm/transfer-payload.js';
import { toHex } from '../../../avalanche/ids/hex.js';
import { EXAMPLES } from '../../../platform/http/openapi/examples.js';
import { cb58, count, decimal, text } from '../../../platform/http/openapi/fields.js';
import { repeatedIdToString } from '../../../avalanche/ids/repeated-texts.js';
import type { MessageRow } from '../message-list.js';
import type { TransferDetails } from '../transfers/message-details.js';
import { TRANSFER_STATES, type TransferState, transferStateOf } from '../transfers/transfer-state.js';

const MESSAGE_ID = '58ec5e878b20dd52584021acfce681543816cc685ff84b0c65d9c8ea366094b9';
const BLOCKCHAIN_ID = 'Pc3AowT6EYBrJV1XKL57rUEyMxHKKjisM2yfQodubgxqH291j';
const CONTRACT = '0x5aa01B3b5877255cE50cc55e8986a7a5fe29C70e';
const AMOUNT = '1000000000000000000';

const STATE = {
  enum: TRANSFER_STATES,
  description:
    'sent: the destination is not indexed, so that nothing is known of a delivery; undelivered: the destination is indexed and has no delivery, and whoever delivers the message needs its signature (`GET /v1/icm/messages/{messageId}`); delivered: according to its receipt, where the destination is not indexed; executed; failed: delivered, and `retryExecution` executes it again.',
  example: 'executed',
} as const;

export class TransferredToken {
  @ApiProperty(text('The contract, one of the two ends of the transfer. EIP-55.', CONTRACT))
  address!: string;

  @ApiProperty(text('Name of the token.', 'Test Token'))
  name!: string;

  @ApiProperty(text('Symbol of the token.', 'TEST'))
  symbol!: string;

  @ApiProperty(count('Number of decimal places of the amount.', 18))
  decimals!: number;
}

export class TransferCall {
  @ApiProperty(text('The data that the recipient is called with: 0x and hex.', '0x1234'))
  data!: string;

  @ApiProperty(decimal('Gas for the call.', '200000'))
  gasLimit!: string;

  @ApiProperty(text('Recipient of the tokens if the call fails. EIP-55.', EXAMPLES.evmAddress))
  fallbackRecipient!: string;

  @ApiPropertyOptional({
    type: Boolean,
    description:
      'How the call ended; absent until then, and in the first message of two. The message is executed either way.',
    example: true,
  })
  isSuccessful?: boolean;
}

export class SecondHop {
  @ApiProperty(cb58('The chain that the tokens are for.', BLOCKCHAIN_ID))
  destinationBlockchainId!: string;

  @ApiProperty(text('The token transferrer on that chain. EIP-55.', CONTRACT))
  destinationTransferrer!: string;

  @ApiProperty(decimal("Fee of the second message, of the amount and in the token's smallest unit.", '0'))
  fee!: string;

  @ApiProperty(
    text(
      "Recipient of the tokens on the home's chain if there can be no second message. EIP-55.",
      EXAMPLES.evmAddress,
    ),
  )
  fallbackRecipient!: string;

  @ApiPropertyOptional(
    text(
      'Id of the second message; absent until the first is executed, and where that gave the tokens to `fallbackRecipient` instead. Hex without 0x.',
      MESSAGE_ID,
    ),
  )
  messageId?: string;

  @ApiPropertyOptional({ ...STATE, description: 'State of the second message.' })
  state?: TransferState;
}

export class TransferResponse {
  @ApiProperty({
    enum: TRANSFER_KINDS,
    description:
      "registerRemote: no tokens, a remote token makes itself known to its home; send; sendAndCall: the recipient is a contract that is called; multiHop…: from one remote to another by way of the token's home, which sends a second message.",
    example: 'send',
  })
  transferType!: (typeof TRANSFER_KINDS)[number];

  @ApiProperty(STATE)
  state!: TransferState;

  @ApiPropertyOptional(
    text(
      'Who had the contract on the source send the tokens; absent where no event of that contract names it. Of a second message, the sender of the first. EIP-55.',
      EXAMPLES.evmAddress,
    ),
  )
  sender?: string;

  @ApiPropertyOptional(
    text('Recipient of the tokens; absent in a registration. EIP-55.', EXAMPLES.evmAddress),
  )
  recipient?: string;

  @ApiPropertyOptional(
    decimal("Amount in the remote token's smallest unit; absent in a registration.", AMOUNT),
  )
  amount?: string;

  @ApiPropertyOptional({
    type: TransferredToken,
    description:
      'The remote token, whose unit the amount has; absent until it has been read from its contract, and while its chain is not indexed.',
  })
  token?: TransferredToken;

  @ApiPropertyOptional({ type: TransferCall, description: 'Of a transfer to a contract that is called.' })
  call?: TransferCall;

  @ApiPropertyOptional({ type: SecondHop, description: "Of a transfer by way of the token's home." })
  secondHop?: SecondHop;

  @ApiPropertyOptional(text('Of a second message: id of the first one. Hex without 0x.', MESSAGE_ID))
  firstMessageId?: string;
}

export function toTransferResponse(row: MessageRow, details: TransferDetails): TransferResponse {
  const { payload, sender, token, first } = details;
  const call = callOf(details);
  const secondHop = secondHopOf(details);
  const recipient = recipientOf(payload);
  return {
    transferType: payload.kind,
    state: transferStateOf(row),
    ...(sender !== undefined && { sender: getAddress(sender) }),
    ...(recipient !== undefined && { recipient: getAddress(recipient) }),
    ...('amount' in payload && { amount: payload.amount.toString() }),
    ...(token && {
      token: {
        address: toAddress(token.contract),
        name: token.name,
        symbol: token.symbol,
        decimals: token.decimals,
      },
    }),
    ...(call && { call }),
    ...(secondHop && { secondHop }),
    ...(first && { firstMessageId: toHex(first.message_id) }),
  };
}

function callOf({ payload, isCallSuccess }: TransferDetails): TransferCall | undefined {
  if (!('call' in payload)) return undefined;
  const { payload: data, gasLimit, fallbackRecipient } = payload.call;
  return {
    data,
    gasLimit: gasLimit.toString(),
    fallbackRecipient: getAddress(fallbackRecipient),
    ...(isCallSuccess !== undefined && { isSuccessful: isCallSuccess }),
  };
}

function secondHopOf({ payload, second }: TransferDetails): SecondHop | undefined {
  if (!('secondHop' in payload)) return undefined;
  const { destinationBlockchainId, destinationTransferrer, fee, fallbackRecipient } = payload.secondHop;
  return {
    destinationBlockchainId: repeatedIdToString(destinationBlockchainId.slice(2)),
    destinationTransferrer: getAddress(destinationTransferrer),
    fee: fee.toString(),
    fallbackRecipient: getAddress(fallbackRecipient),
    ...(second && { messageId: toHex(second.message_id), state: transferStateOf(second) }),
  };
}

function recipientOf(payload: TransferPayload): string | undefined {
  if ('call' in payload) return payload.call.recipientContract;
  return 'recipient' in payload ? payload.recipient : undefined;
}

/** EIP-55. */
export function toAddress(bytes: Buffer): string {
  return getAddress(`0x${toHex(bytes)}`);
}
