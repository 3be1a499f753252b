import { sha256 } from '@noble/hashes/sha2.js';
import { packBlob, unpackBlob } from '../codec/codec.js';
import type { Packer } from '../codec/packer.js';
import type { Unpacker } from '../codec/unpacker.js';
import { ID_LENGTH } from '../ids/id.js';

/** What validators sign (avalanchego v1.14.2 vms/platformvm/warp/unsigned_message.go). */
export interface UnsignedMessage {
  /** 1 mainnet, 5 fuji, 12345 local. */
  networkId: number;
  /** 32 bytes; zeros for the P-chain. */
  sourceChainId: Uint8Array;
  /** Hash or AddressedCall; the message itself puts no bound on it. */
  payload: Uint8Array;
}

export function packUnsignedMessage(message: UnsignedMessage): Uint8Array {
  return packBlob((packer) => packUnsignedMessageFields(packer, message));
}

/** Throws CodecError. */
export function unpackUnsignedMessage(bytes: Uint8Array): UnsignedMessage {
  return unpackBlob(bytes, unpackUnsignedMessageFields);
}

/** sha256 of the packed unsigned message; also the third topic of the SendWarpMessage log. */
export function unsignedMessageId(bytes: Uint8Array): Uint8Array {
  return sha256(bytes);
}

export function packUnsignedMessageFields(packer: Packer, message: UnsignedMessage): void {
  packer
    .packInt(message.networkId)
    .packFixedBytes(message.sourceChainId, ID_LENGTH)
    .packBytes(message.payload);
}

export function unpackUnsignedMessageFields(unpacker: Unpacker): UnsignedMessage {
  return {
    networkId: unpacker.unpackInt(),
    sourceChainId: unpacker.unpackFixedBytes(ID_LENGTH),
    payload: unpacker.unpackBytes(),
  };
}
