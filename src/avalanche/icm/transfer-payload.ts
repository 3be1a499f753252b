import { type Address, type Hash, type Hex, ZERO_ADDRESS } from '../evm/rpc/hex-values.js';
import { AbiError, AbiReader } from './abi-reader.js';
import { MAX_EVENT_BYTES } from './messenger-event.js';
import { WORD_BYTES, WORD_DIGITS } from '../ids/abi-word.js';

/** Where the second message of a transfer goes that passes through its token's home. */
interface SecondHop {
  readonly destinationBlockchainId: Hash;
  readonly destinationTransferrer: Address;
  readonly fee: bigint;
  readonly gasLimit: bigint;
  /** On the home's chain: who is given the tokens where the second hop is impossible. */
  readonly fallbackRecipient: Address;
}

/** A contract that is called with the tokens, and who is given them if the call fails. */
interface ContractCall {
  /** Who began it, as a token transferrer names him. */
  readonly originSender: Address;
  readonly recipientContract: Address;
  readonly payload: Hex;
  readonly gasLimit: bigint;
  readonly fallbackRecipient: Address;
}

/** Amounts are in the denomination of the remote token that sends or receives the message. */
export type TransferPayload =
  | {
      readonly kind: 'registerRemote';
      readonly initialReserveImbalance: bigint;
      readonly homeDecimals: number;
      readonly remoteDecimals: number;
    }
  | { readonly kind: 'send'; readonly recipient: Address; readonly amount: bigint }
  | {
      readonly kind: 'sendAndCall';
      readonly amount: bigint;
      readonly originBlockchainId: Hash;
      readonly originTransferrer: Address;
      readonly call: ContractCall;
    }
  | {
      readonly kind: 'multiHopSend';
      readonly recipient: Address;
      readonly amount: bigint;
      readonly secondHop: SecondHop;
    }
  | {
      readonly kind: 'multiHopSendAndCall';
      readonly amount: bigint;
      readonly call: ContractCall;
      readonly secondHop: SecondHop;
    };

export const TRANSFER_KINDS = [
  'registerRemote',
  'send',
  'sendAndCall',
  'multiHopSend',
  'multiHopSendAndCall',
] as const satisfies readonly TransferPayload['kind'][];

const MAX_UINT8 = 255n;

/**
 * The transfer in a message between token transferrers of Avalanche's interchain token transfer (ICTT): a tuple of a type and of the
 * fields of that type, both ABI-encoded. Undefined for everything else: any contract may send any bytes, and only those are taken for
 * a transfer that Solidity's own encoder would have written for it, byte by byte. So nothing is read out of overlapping or dangling
 * data.
 */
export function unpackTransfer(data: Hex): TransferPayload | undefined {
  if (data.length > 2 + 2 * MAX_EVENT_BYTES) return undefined;
  try {
    const message = new AbiReader(data).tuple(0);
    const transfer = unpackPayload(message.uint(0), message.bytes(1));
    return transfer !== undefined && packTransfer(transfer) === data ? transfer : undefined;
  } catch (error) {
    if (error instanceof AbiError) return undefined;
    throw error;
  }
}

function unpackPayload(type: bigint, payload: Hex): TransferPayload | undefined {
  const kind = type > MAX_UINT8 ? undefined : TRANSFER_KINDS[Number(type)];
  const fields = new AbiReader(payload);
  switch (kind) {
    case undefined:
      return undefined;
    case 'registerRemote':
      return unpackRegistration(kind, fields);
    case 'send':
      return { kind, recipient: fields.address(0), amount: fields.uint(1) };
    case 'sendAndCall':
      return unpackCall(kind, fields.tuple(0));
    case 'multiHopSend':
      return {
        kind,
        recipient: fields.address(2),
        amount: fields.uint(3),
        secondHop: {
          destinationBlockchainId: fields.hash(0),
          destinationTransferrer: fields.address(1),
          fee: fields.uint(4),
          gasLimit: fields.uint(5),
          fallbackRecipient: fields.address(6),
        },
      };
    case 'multiHopSendAndCall':
      return unpackMultiHopCall(kind, fields.tuple(0));
  }
}

function unpackRegistration(kind: 'registerRemote', fields: AbiReader): TransferPayload | undefined {
  const [homeDecimals, remoteDecimals] = [fields.uint(1), fields.uint(2)];
  if (homeDecimals > MAX_UINT8 || remoteDecimals > MAX_UINT8) return undefined;
  return {
    kind,
    initialReserveImbalance: fields.uint(0),
    homeDecimals: Number(homeDecimals),
    remoteDecimals: Number(remoteDecimals),
  };
}

function unpackCall(kind: 'sendAndCall', fields: AbiReader): TransferPayload {
  return {
    kind,
    amount: fields.uint(4),
    originBlockchainId: fields.hash(0),
    originTransferrer: fields.address(1),
    call: {
      originSender: fields.address(2),
      recipientContract: fields.address(3),
      payload: fields.bytes(5),
      gasLimit: fields.uint(6),
      fallbackRecipient: fields.address(7),
    },
  };
}

function unpackMultiHopCall(kind: 'multiHopSendAndCall', fields: AbiReader): TransferPayload {
  return {
    kind,
    amount: fields.uint(4),
    call: {
      originSender: fields.address(0),
      recipientContract: fields.address(3),
      payload: fields.bytes(5),
      gasLimit: fields.uint(6),
      fallbackRecipient: fields.address(7),
    },
    secondHop: {
      destinationBlockchainId: fields.hash(1),
      destinationTransferrer: fields.address(2),
      fee: fields.uint(10),
      gasLimit: fields.uint(8),
      fallbackRecipient: fields.address(9),
    },
  };
}

/** As Solidity encodes it. */
export function packTransfer(transfer: TransferPayload): Hex {
  const type = TRANSFER_KINDS.indexOf(transfer.kind);
  return `0x${tuple([uint(BigInt(type)), { tail: bytesOf(fieldsOf(transfer)) }])}`;
}

function fieldsOf(transfer: TransferPayload): string {
  switch (transfer.kind) {
    case 'registerRemote': {
      const { initialReserveImbalance, homeDecimals, remoteDecimals } = transfer;
      return [initialReserveImbalance, BigInt(homeDecimals), BigInt(remoteDecimals)].map(uint).join('');
    }
    case 'send':
      return address(transfer.recipient) + uint(transfer.amount);
    case 'sendAndCall': {
      const { originBlockchainId, originTransferrer, amount, call } = transfer;
      return tuple([
        originBlockchainId.slice(2),
        address(originTransferrer),
        address(call.originSender),
        address(call.recipientContract),
        uint(amount),
        { tail: bytesOf(call.payload.slice(2)) },
        uint(call.gasLimit),
        address(call.fallbackRecipient),
      ]);
    }
    case 'multiHopSend': {
      const { secondHop, recipient, amount } = transfer;
      return [
        secondHop.destinationBlockchainId.slice(2),
        address(secondHop.destinationTransferrer),
        address(recipient),
        uint(amount),
        uint(secondHop.fee),
        uint(secondHop.gasLimit),
        address(secondHop.fallbackRecipient),
      ].join('');
    }
    case 'multiHopSendAndCall': {
      const { secondHop, call, amount } = transfer;
      return tuple([
        address(call.originSender),
        secondHop.destinationBlockchainId.slice(2),
        address(secondHop.destinationTransferrer),
        address(call.recipientContract),
        uint(amount),
        { tail: bytesOf(call.payload.slice(2)) },
        uint(call.gasLimit),
        address(call.fallbackRecipient),
        uint(secondHop.gasLimit),
        address(secondHop.fallbackRecipient),
        uint(secondHop.fee),
      ]);
    }
  }
}

/** A single tuple with one component of variable length: its offset, its words, and behind them that component. */
function tuple(parts: readonly (string | { readonly tail: string })[]): string {
  const headBytes = BigInt(parts.length * WORD_BYTES);
  const head = parts.map((part) => (typeof part === 'string' ? part : uint(headBytes)));
  const tails = parts.map((part) => (typeof part === 'string' ? '' : part.tail));
  return [uint(BigInt(WORD_BYTES)), ...head, ...tails].join('');
}

function bytesOf(digits: string): string {
  const padded = Math.ceil(digits.length / WORD_DIGITS) * WORD_DIGITS;
  return uint(BigInt(digits.length / 2)) + digits.padEnd(padded, '0');
}

function uint(value: bigint): string {
  return value.toString(16).padStart(WORD_DIGITS, '0');
}

function address(value: Address): string {
  return value.slice(2).padStart(WORD_DIGITS, '0');
}

/**
 * Everybody but the two transferrers whom a transfer names, each once: its sender as far as it names him, who receives the tokens, and
 * who does instead where something fails.
 */
export function partiesOf(transfer: TransferPayload): Address[] {
  const parties = namedIn(transfer).filter((party) => party !== ZERO_ADDRESS);
  return [...new Set(parties)];
}

function namedIn(transfer: TransferPayload): Address[] {
  switch (transfer.kind) {
    case 'registerRemote':
      return [];
    case 'send':
      return [transfer.recipient];
    case 'sendAndCall':
      return partiesOfCall(transfer.call);
    case 'multiHopSend':
      return [transfer.recipient, transfer.secondHop.fallbackRecipient];
    case 'multiHopSendAndCall':
      return [...partiesOfCall(transfer.call), transfer.secondHop.fallbackRecipient];
  }
}

function partiesOfCall({ originSender, recipientContract, fallbackRecipient }: ContractCall): Address[] {
  return [originSender, recipientContract, fallbackRecipient];
}
