import { WORD_BYTES } from '../../../src/avalanche/ids/abi-word.js';

/** Data of the log of a sent message: the ABI encoding of one `bytes` argument. */
export function packSendWarpMessageData(unsignedMessage: Uint8Array): Uint8Array {
  const paddedBytes = Math.ceil(unsignedMessage.length / WORD_BYTES) * WORD_BYTES;
  const data = new Uint8Array(2 * WORD_BYTES + paddedBytes);
  const view = new DataView(data.buffer);
  view.setUint32(WORD_BYTES - 4, WORD_BYTES);
  view.setUint32(2 * WORD_BYTES - 4, unsignedMessage.length);
  data.set(unsignedMessage, 2 * WORD_BYTES);
  return data;
}
