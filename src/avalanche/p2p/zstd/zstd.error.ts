import { P2pError } from '../p2p.error.js';

/** Raised by every part of the decoder: the input is not a zstd frame that this decoder accepts. */
export function invalidCompression(reason: string): P2pError {
  return new P2pError('INVALID_COMPRESSION', `invalid zstd frame: ${reason}`);
}
