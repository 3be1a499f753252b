import type { EvmLog } from '../evm/blocks/block.js';
import type { Address } from '../evm/rpc/hex-values.js';
import { fromHex } from '../ids/hex.js';
import { idFromString } from '../ids/id.js';
import { packAddressedCall } from '../warp/payload/addressed-call.js';
import { MAX_PAYLOAD_BYTES } from '../warp/payload/limits.js';
import { packUnsignedMessage } from '../warp/unsigned-message.js';
import { MESSENGER_TOPICS } from './messenger-event.js';
import { WORD_DIGITS } from '../ids/abi-word.js';

/** Of the event: the message's place and the two words of the fee. The message begins behind it and is the rest of the data. */
const HEAD_DIGITS = 3 * WORD_DIGITS;
const MESSAGE_PLACE = (HEAD_DIGITS / 2).toString(16).padStart(WORD_DIGITS, '0');
/** In front of the one argument that the messenger encodes for Warp. */
const ARGUMENT_PLACE = (0x20).toString(16).padStart(WORD_DIGITS, '0');
/** Of an AddressedCall: codec version, type, and an address and a payload with their lengths. */
const CALL_BYTES = 2 + 4 + 4 + 20 + 4;

/** Where a message was sent. */
export interface Sending {
  readonly networkId: number;
  /** Cb58. */
  readonly sourceBlockchainId: string;
  readonly messenger: Address;
  readonly log: Pick<EvmLog, 'topics' | 'data'>;
}

/**
 * The unsigned Warp message that a messenger has sent with what its SendCrossChainMessage event reports: an AddressedCall of the messenger
 * with the ABI encoding of the message. Undefined for any other log, and for one that a contract has made up. Of the messenger's second
 * version another contract sends the Warp message, which its event does not name.
 */
export function sentWarpMessage({ networkId, sourceBlockchainId, messenger, log }: Sending) {
  const data = log.data.slice(2);
  if (log.topics[0] !== MESSENGER_TOPICS.sent || !data.startsWith(MESSAGE_PLACE)) return undefined;
  const payload = fromHex(`${ARGUMENT_PLACE}${data.slice(HEAD_DIGITS)}`);
  if (CALL_BYTES + payload.length > MAX_PAYLOAD_BYTES) return undefined;
  return packUnsignedMessage({
    networkId,
    sourceChainId: idFromString(sourceBlockchainId),
    payload: packAddressedCall({ sourceAddress: fromHex(messenger.slice(2)), payload }),
  });
}
