import { unpackTyped } from '../codec/codec.js';
import type { Packer } from '../codec/packer.js';
import type { Unpacker } from '../codec/unpacker.js';
import { SIGNATURE_BYTES } from '../bls/bls.interface.js';

const BIT_SET_SIGNATURE_TYPE_ID = 0;

/** Aggregate signature of some of the canonical validators (avalanchego v1.14.2 vms/platformvm/warp/signature.go). */
export interface BitSetSignature {
  /** Bit set as it stands in the message; read it with unpackBitSet, which refuses what verifiers refuse. */
  signers: Uint8Array;
  /** 96 bytes, not yet parsed as a point. */
  signature: Uint8Array;
}

export function packSignature(packer: Packer, signature: BitSetSignature): void {
  packer
    .packInt(BIT_SET_SIGNATURE_TYPE_ID)
    .packBytes(signature.signers)
    .packFixedBytes(signature.signature, SIGNATURE_BYTES);
}

/** Throws CodecError. */
export function unpackSignature(unpacker: Unpacker): BitSetSignature {
  return unpackTyped(unpacker, new Map([[BIT_SET_SIGNATURE_TYPE_ID, unpackBitSetSignatureFields]]));
}

function unpackBitSetSignatureFields(unpacker: Unpacker): BitSetSignature {
  return { signers: unpacker.unpackBytes(), signature: unpacker.unpackFixedBytes(SIGNATURE_BYTES) };
}
