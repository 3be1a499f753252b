import { EMPTY_ID } from '../ids/id.js';
import { packAddressedCall } from './payload/addressed-call.js';
import type { UnsignedMessage } from './unsigned-message.js';

/**
 * Unsigned message as the P-chain makes it: source chain and sender empty, `l1Message` packed by message/
 * (avalanchego v1.14.2 vms/platformvm/network/warp.go accepts no other). Throws CodecError above the payload's limit.
 */
export function makePChainMessage(message: { networkId: number; l1Message: Uint8Array }): UnsignedMessage {
  return {
    networkId: message.networkId,
    sourceChainId: EMPTY_ID,
    payload: packAddressedCall({ sourceAddress: new Uint8Array(0), payload: message.l1Message }),
  };
}
