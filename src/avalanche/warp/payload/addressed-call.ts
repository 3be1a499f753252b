import { packTypedBlob, unpackTypedBlob } from '../../codec/codec.js';
import type { Unpacker } from '../../codec/unpacker.js';
import { MAX_PAYLOAD_BYTES } from './limits.js';

export const ADDRESSED_CALL_TYPE_ID = 1;

/** Payload with a sender (avalanchego v1.14.2 vms/platformvm/warp/payload/addressed_call.go). */
export interface AddressedCall {
  /** 20 bytes from an EVM chain, empty from the P-chain. */
  sourceAddress: Uint8Array;
  payload: Uint8Array;
}

/** Throws CodecError when the whole outgrows MAX_PAYLOAD_BYTES. */
export function packAddressedCall({ sourceAddress, payload }: AddressedCall): Uint8Array {
  return packTypedBlob(
    ADDRESSED_CALL_TYPE_ID,
    (packer) => packer.packBytes(sourceAddress).packBytes(payload),
    MAX_PAYLOAD_BYTES,
  );
}

/** Throws CodecError. */
export function unpackAddressedCall(bytes: Uint8Array): AddressedCall {
  return unpackTypedBlob(bytes, ADDRESSED_CALL_TYPE_ID, unpackAddressedCallFields, MAX_PAYLOAD_BYTES);
}

export function unpackAddressedCallFields(unpacker: Unpacker): AddressedCall {
  return { sourceAddress: unpacker.unpackBytes(), payload: unpacker.unpackBytes() };
}
