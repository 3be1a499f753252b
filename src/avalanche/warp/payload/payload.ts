import { unpackAnyTypedBlob } from '../../codec/codec.js';
import { ADDRESSED_CALL_TYPE_ID, addressedCall, type AddressedCall } from './addressed-call.js';
import { HASH_TYPE_ID, unpackHashFields, type Hash } from './hash.js';
import { MAX_PAYLOAD_BYTES } from './limits.js';

/** Payload of a Warp message (avalanchego v1.14.2 vms/platformvm/warp/payload/payload.go). */
export type Payload = ({ kind: 'hash' } & Hash) | ({ kind: 'addressedCall' } & AddressedCall);

/** Reads a payload of either kind. Throws CodecError. */
export function unpackPayload(bytes: Uint8Array): Payload {
  return unpackAnyTypedBlob<Payload>(
    bytes,
    new Map([
      [HASH_TYPE_ID, (unpacker): Payload => ({ kind: 'hash', ...unpackHashFields(unpacker) })],
      [
        ADDRESSED_CALL_TYPE_ID,
        (unpacker): Payload => ({ kind: 'addressedCall', ...addressedCall.unpack(unpacker) }),
      ],
    ]),
    MAX_PAYLOAD_BYTES,
  );
}
