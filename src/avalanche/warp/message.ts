import { packBlob, unpackBlob } from '../codec/codec.js';
import { packSignature, unpackSignature, type BitSetSignature } from './bit-set-signature.js';
import { unsignedMessage, type UnsignedMessage } from './unsigned-message.js';

/** Signed Warp message: the unsigned one and its signature (avalanchego v1.14.2 vms/platformvm/warp/message.go). */
export interface Message {
  unsignedMessage: UnsignedMessage;
  signature: BitSetSignature;
}

export function packMessage(message: Message): Uint8Array {
  return packBlob((packer) => {
    unsignedMessage.pack(packer, message.unsignedMessage);
    packSignature(packer, message.signature);
  });
}

/** Checks the form only; verifyMessage checks the signature. Throws CodecError. */
export function unpackMessage(bytes: Uint8Array): Message {
  return unpackBlob(bytes, (unpacker) => ({
    unsignedMessage: unsignedMessage.unpack(unpacker),
    signature: unpackSignature(unpacker),
  }));
}
