import { packTypedBlob, unpackTypedBlob } from '../../codec/codec.js';
import { bytes, struct, type ValueOf } from '../../platformvm/codec/field.js';
import { MAX_PAYLOAD_BYTES } from './limits.js';

export const ADDRESSED_CALL_TYPE_ID = 1;

/** Payload with a sender (avalanchego v1.14.2 vms/platformvm/warp/payload/addressed_call.go). */
export const addressedCall = struct({
  sourceAddress: bytes, // 20 bytes from an EVM chain, empty from the P-chain
  payload: bytes,
});

export type AddressedCall = ValueOf<typeof addressedCall>;

/** Throws CodecError when the whole outgrows MAX_PAYLOAD_BYTES. */
export function packAddressedCall(call: AddressedCall): Uint8Array {
  return packTypedBlob(
    ADDRESSED_CALL_TYPE_ID,
    (packer) => addressedCall.pack(packer, call),
    MAX_PAYLOAD_BYTES,
  );
}

/** Throws CodecError. */
export function unpackAddressedCall(call: Uint8Array): AddressedCall {
  return unpackTypedBlob(call, ADDRESSED_CALL_TYPE_ID, addressedCall.unpack, MAX_PAYLOAD_BYTES);
}
