import { CodecError } from '../codec/codec.error.js';
import { toHex } from '../ids/hex.js';
import { unpackUnsignedMessage } from './unsigned-message.js';
import { WORD_BYTES } from '../ids/abi-word.js';

/** Emits the log, whatever contract asked for it (avalanchego v1.14.2 graft/subnet-evm/precompile/contracts/warp). */
export const WARP_PRECOMPILE_ADDRESS = '0x0200000000000000000000000000000000000005';

/** Topic 0 of `SendWarpMessage(address indexed sender, bytes32 indexed messageID, bytes message)`. */
export const SEND_WARP_MESSAGE_TOPIC = '0x56600c567728a800c0aa927500f831cb451df66a7af570eb4df4dfbf4674887d';

/**
 * Unsigned message bytes from what users have at hand: the data of a SendWarpMessage log, or the message itself.
 * The log form is tried first, and padding that is missing or too long is accepted there, both as in avalanchego
 * (UnpackSendWarpEventDataToMessage). Throws CodecError when the input is neither.
 */
export function unwrapMessageInput(bytes: Uint8Array): Uint8Array {
  const logged = abiBytesArgument(bytes);
  if (logged && isUnsignedMessage(logged)) return logged;
  unpackUnsignedMessage(bytes);
  return new Uint8Array(bytes);
}

/** The `bytes` argument, or undefined when the offset or the length points outside the data. */
function abiBytesArgument(data: Uint8Array): Uint8Array | undefined {
  const offset = wordAt(data, 0);
  if (offset === undefined) return undefined;
  const length = wordAt(data, offset);
  if (length === undefined) return undefined;
  const start = offset + WORD_BYTES;
  return start + length <= data.length ? new Uint8Array(data.subarray(start, start + length)) : undefined;
}

/** The word as a number, inexact only beyond 2^53 and so beyond any data; undefined when it lies outside. */
function wordAt(data: Uint8Array, offset: number): number | undefined {
  if (offset + WORD_BYTES > data.length) return undefined;
  return Number(`0x${toHex(data.subarray(offset, offset + WORD_BYTES))}`);
}

function isUnsignedMessage(bytes: Uint8Array): boolean {
  try {
    unpackUnsignedMessage(bytes);
    return true;
  } catch (error) {
    if (error instanceof CodecError) return false;
    throw error;
  }
}
