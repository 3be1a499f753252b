import { sha256 } from '@noble/hashes/sha2.js';
import { PUBLIC_KEY_BYTES } from '../../bls/bls.interface.js';
import { packBlob, packTypedBlob } from '../../codec/codec.js';
import { Packer } from '../../codec/packer.js';
import { ID_LENGTH } from '../../ids/id.js';
import { bytes, fixedBytes, list, struct, uint64, type ValueOf } from '../../platformvm/codec/field.js';

export const SUBNET_TO_L1_CONVERSION_TYPE_ID = 0;

/** The P-chain's statement that a subnet became an L1 (avalanchego v1.14.2 warp/message/subnet_to_l1_conversion.go). */
export interface SubnetToL1Conversion {
  /** conversionId of the conversion's data. */
  id: Uint8Array;
}

/** The bytes that the conversion id commits to. */
const conversionData = struct({
  subnetId: fixedBytes(ID_LENGTH),
  managerChainId: fixedBytes(ID_LENGTH),
  managerAddress: bytes,
  // In the order of the ConvertSubnetToL1Tx: another order is another id.
  validators: list(
    struct({
      nodeId: bytes, // 20 bytes when the P-chain accepted it; the codec itself allows any length
      blsPublicKey: fixedBytes(PUBLIC_KEY_BYTES), // compressed, not parsed as a point
      weight: uint64,
    }),
  ),
});

export type SubnetToL1ConversionData = ValueOf<typeof conversionData>;

export function packSubnetToL1Conversion({ id }: SubnetToL1Conversion): Uint8Array {
  return packTypedBlob(SUBNET_TO_L1_CONVERSION_TYPE_ID, (packer) => packer.packFixedBytes(id, ID_LENGTH));
}

/** The preimage of a conversion id; unlike the messages it has no type id. */
export function packSubnetToL1ConversionData(data: SubnetToL1ConversionData): Uint8Array {
  return packBlob((packer) => conversionData.pack(packer, data));
}

/** sha256 of the packed data (SubnetToL1ConversionID). */
export function subnetToL1ConversionId(data: SubnetToL1ConversionData): Uint8Array {
  return sha256(packSubnetToL1ConversionData(data));
}

/** Validation id of the `index`th validator of a conversion: sha256(subnet id, uint32 index). */
export function validationIdOfConversion(subnetId: Uint8Array, index: number): Uint8Array {
  return sha256(new Packer().packFixedBytes(subnetId, ID_LENGTH).packInt(index).toBytes());
}
