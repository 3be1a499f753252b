import { packTypedBlob } from '../../codec/codec.js';
import type { Unpacker } from '../../codec/unpacker.js';
import { ID_LENGTH } from '../../ids/id.js';

export const HASH_TYPE_ID = 0;

/** Payload of a message about a hash; for EVM chains that of an accepted block (avalanchego v1.14.2 payload/hash.go). */
export interface Hash {
  hash: Uint8Array;
}

export function packHash({ hash }: Hash): Uint8Array {
  return packTypedBlob(HASH_TYPE_ID, (packer) => packer.packFixedBytes(hash, ID_LENGTH));
}

export function unpackHashFields(unpacker: Unpacker): Hash {
  return { hash: unpacker.unpackFixedBytes(ID_LENGTH) };
}
