import { sha256 } from '@noble/hashes/sha2.js';
import { packBlob, unpackBlob } from '../codec/codec.js';
import { ID_LENGTH } from '../ids/id.js';
import { bytes, fixedBytes, struct, uint32, type ValueOf } from '../platformvm/codec/field.js';

/** The message that validators sign (avalanchego v1.14.2 vms/platformvm/warp/unsigned_message.go). */
export const unsignedMessage = struct({
  networkId: uint32, // 1 mainnet, 5 fuji, 12345 local
  sourceChainId: fixedBytes(ID_LENGTH), // zeros for the P-chain
  payload: bytes, // Hash or AddressedCall; the message itself puts no bound on it
});

export type UnsignedMessage = ValueOf<typeof unsignedMessage>;

export function packUnsignedMessage(message: UnsignedMessage): Uint8Array {
  return packBlob((packer) => unsignedMessage.pack(packer, message));
}

/** Throws CodecError. */
export function unpackUnsignedMessage(message: Uint8Array): UnsignedMessage {
  return unpackBlob(message, unsignedMessage.unpack);
}

/** sha256 of the packed unsigned message; also the third topic of the SendWarpMessage log. */
export function unsignedMessageId(message: Uint8Array): Uint8Array {
  return sha256(message);
}
