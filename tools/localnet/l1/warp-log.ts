import { fromHex } from '../../../src/avalanche/ids/hex.js';
import {
  SEND_WARP_MESSAGE_TOPIC,
  unwrapMessageInput,
  WARP_PRECOMPILE_ADDRESS,
} from '../../../src/avalanche/warp/send-warp-log.js';
import type { Receipt } from '../c-chain/evm-wallet.js';

/** The unsigned message that the transaction sent. */
export function readWarpMessage({ logs }: Receipt): Uint8Array {
  const log = logs.find(
    ({ address, topics }) => address === WARP_PRECOMPILE_ADDRESS && topics.at(0) === SEND_WARP_MESSAGE_TOPIC,
  );
  if (log === undefined) throw new Error('no Warp message was sent');
  return unwrapMessageInput(fromHex(log.data.slice(2)));
}
