import { type Address, type Hash, ZERO_ADDRESS } from '../../avalanche/evm/rpc/hex-values.js';
import { messageIdOf } from '../../avalanche/icm/message-id.js';
import {
  type InterchainMessage,
  type MessengerEvent,
  type NotUnderstood,
  readMessengerEvent,
  type TokenFee,
} from '../../avalanche/icm/messenger-event.js';
import { unpackTransfer } from '../../avalanche/icm/transfer-payload.js';
import { readTransferrerEvent } from '../../avalanche/icm/transferrer-event.js';
import { toHex } from '../../avalanche/ids/hex.js';
import { idFromString } from '../../avalanche/ids/id.js';
import type { ProjectedChain } from '../../indexes/evm/projections/projection.js';
import type { WatchedLog } from '../../indexes/evm/projections/watched-log.js';

/** Where something was reported of a message. */
interface Said {
  readonly messageId: Hash;
  /** The contract that reported it: the messenger or, of a sender, a token transferrer. */
  readonly contract: Address;
  readonly log: WatchedLog;
}

/** A message as reported by one of its two chains. Its id was recomputed: only that messenger on that chain can report it. */
export interface ToldMessage extends Said {
  readonly sourceBlockchainId: Hash;
  readonly message: InterchainMessage;
}

interface Delivery extends ToldMessage {
  readonly deliverer: Address;
  readonly rewardRedeemer: Address;
}

/** The source's report of a message's fee. */
interface StatedFee extends Said {
  readonly fee: TokenFee;
  /** Whether it was credited, as the message's receipt has come back. Nothing is reported of it afterwards. */
  readonly isCredited: boolean;
}

export type Execution = Said;

/** Who had a token transferrer send a message, as that contract reports. */
interface StatedSender extends Said {
  readonly sender: Address;
}

export interface MessageFacts {
  readonly sends: readonly ToldMessage[];
  readonly deliveries: readonly Delivery[];
  readonly fees: readonly StatedFee[];
  readonly executions: readonly Execution[];
  readonly senders: readonly StatedSender[];
  /** Of logs that are left out, how many for which reason. */
  readonly leftOut: ReadonlyMap<LeftOut, number>;
}

type LeftOut = NotUnderstood['reason'] | 'WRONG_MESSAGE_ID' | 'WRONG_CHAIN';

/**
 * The reports in logs of one chain's messengers, whatever their order. Of several logs that report the same thing of a message one counts:
 * the first that sends it, as the others repeat it; the last that names its fee.
 *
 * Executions, fees and senders come with an id alone. They are kept with the chain and the contract that did so, and count for the
 * message of that id only when this chain and this contract are its own: its messenger or, for its sender, the contract that sent it.
 */
export function readMessageFacts(chain: ProjectedChain, logs: readonly WatchedLog[]): MessageFacts {
  const blockchainId: Hash = `0x${toHex(idFromString(chain.blockchainId))}`;
  const sends = new Map<string, ToldMessage>();
  const deliveries = new Map<string, Delivery>();
  const fees = new Map<string, StatedFee>();
  const executions = new Map<string, Execution>();
  const senders = new Map<string, StatedSender>();
  const leftOut = new Map<LeftOut, number>();
  for (const log of logs.toSorted(byPosition)) {
    const transferred = readTransferrerEvent(log);
    if (transferred !== undefined) {
      if (transferred.kind !== 'sent') continue; // is read beside the message (transfers/executions.ts)
      const { messageId, sender } = transferred;
      addFirst(senders, `${messageId} ${log.address}`, { messageId, contract: log.address, log, sender });
      continue;
    }
    const event = readMessengerEvent(log);
    const reason = event.kind === 'notUnderstood' ? event.reason : problemOf(event, log, blockchainId);
    if (reason !== undefined) {
      leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
      continue;
    }
    if (!('messageId' in event)) continue; // nothing of a message
    const { messageId } = event;
    const said = { messageId, contract: log.address, log };
    const key = `${messageId} ${log.address}`;
    switch (event.kind) {
      case 'sent':
        addFirst(sends, key, { ...said, sourceBlockchainId: blockchainId, message: event.message });
        fees.set(key, { ...said, fee: event.fee, isCredited: false });
        break;
      case 'feeAdded':
        fees.set(key, { ...said, fee: event.fee, isCredited: false });
        break;
      case 'receiptReceived':
        fees.set(key, { ...said, fee: event.fee, isCredited: true });
        break;
      case 'received': {
        const { sourceBlockchainId, deliverer, rewardRedeemer, message } = event;
        addFirst(deliveries, key, { ...said, sourceBlockchainId, deliverer, rewardRedeemer, message });
        break;
      }
      case 'executed':
        executions.set(key, said);
        break;
      case 'executionFailed':
        break; // a delivery that no execution follows
    }
  }
  return {
    sends: [...sends.values()],
    deliveries: [...deliveries.values()],
    fees: [...fees.values()],
    executions: [...executions.values()],
    senders: [...senders.values()],
    leftOut,
  };
}

/** Tokens that fees are paid in, and the ends of transfers on this chain: a remote one is a token. */
export function namedTokens({ fees, sends, deliveries }: MessageFacts): Address[] {
  const transferrers = [
    ...sends.filter(carriesTransfer).map(({ message }) => message.from),
    ...deliveries.filter(carriesTransfer).map(({ message }) => message.to),
  ];
  const tokens = new Set([...fees.map(({ fee }) => fee.token), ...transferrers]);
  return [...tokens].filter((token) => token !== ZERO_ADDRESS).sort();
}

function carriesTransfer({ message }: ToldMessage): boolean {
  return unpackTransfer(message.data) !== undefined;
}

function problemOf(
  event: MessengerEvent,
  { address: contract }: WatchedLog,
  blockchainId: Hash,
): LeftOut | undefined {
  switch (event.kind) {
    case 'sent':
      return isItsId(event, contract, blockchainId) ? undefined : 'WRONG_MESSAGE_ID';
    case 'received':
    case 'executionFailed':
      if (event.message.destinationBlockchainId !== blockchainId) return 'WRONG_CHAIN';
      return isItsId(event, contract, event.sourceBlockchainId) ? undefined : 'WRONG_MESSAGE_ID';
    case 'blockchainIdInitialized':
      return event.blockchainId === blockchainId ? undefined : 'WRONG_CHAIN';
    case 'executed':
    case 'receiptReceived':
    case 'feeAdded':
    case 'rewardsRedeemed':
      return undefined;
  }
}

function isItsId(
  { messageId, message }: { messageId: Hash; message: InterchainMessage },
  contract: Address,
  sourceBlockchainId: Hash,
): boolean {
  const { destinationBlockchainId, nonce } = message;
  return messageId === messageIdOf({ contract, sourceBlockchainId, destinationBlockchainId, nonce });
}

function addFirst<T>(map: Map<string, T>, key: string, value: T): void {
  if (!map.has(key)) map.set(key, value);
}

function byPosition(a: WatchedLog, b: WatchedLog): number {
  return a.height === b.height ? a.logIndex - b.logIndex : a.height < b.height ? -1 : 1;
}
