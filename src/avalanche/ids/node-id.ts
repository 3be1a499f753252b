import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { IdError } from './id.error.js';
import { shortIdFromString, shortIdToString } from './short-id.js';

const NODE_ID_PREFIX = 'NodeID-';

/** `NodeID-` and cb58 of the 20 bytes (avalanchego v1.14.2 ids/node_id.go). Throws IdError on another length. */
export function nodeIdToString(nodeId: Uint8Array): string {
  return NODE_ID_PREFIX + shortIdToString(nodeId);
}

/** Throws IdError unless the text is `NodeID-` and cb58 of 20 bytes. */
export function nodeIdFromString(text: string): Uint8Array {
  if (!text.startsWith(NODE_ID_PREFIX)) {
    throw new IdError('INVALID_PREFIX', `node ids start with ${NODE_ID_PREFIX}`);
  }
  return shortIdFromString(text.slice(NODE_ID_PREFIX.length));
}

/**
 * ripemd160(sha256(DER)) of a node's TLS certificate (ids/node_id.go, NodeIDFromCert). Only a hash: whether the network accepts such a
 * certificate is for `parseStakingCertificate` to decide.
 */
export function nodeIdFromCertificate(der: Uint8Array): Uint8Array {
  return ripemd160(sha256(der));
}
