import type { Packer } from '../../codec/packer.js';
import type { Unpacker } from '../../codec/unpacker.js';
import { SHORT_ID_LENGTH } from '../../ids/short-id.js';

/** Who may spend a validator's balance or disable it (avalanchego v1.14.2 warp/message/register_l1_validator.go). */
export interface PChainOwner {
  threshold: number;
  /** 20 bytes each. */
  addresses: Uint8Array[];
}

export function packPChainOwner(packer: Packer, { threshold, addresses }: PChainOwner): void {
  packer
    .packInt(threshold)
    .packList(addresses, (inner, address) => inner.packFixedBytes(address, SHORT_ID_LENGTH));
}

export function unpackPChainOwner(unpacker: Unpacker): PChainOwner {
  return {
    threshold: unpacker.unpackInt(),
    addresses: unpacker.unpackList(SHORT_ID_LENGTH, (inner) => inner.unpackFixedBytes(SHORT_ID_LENGTH)),
  };
}
