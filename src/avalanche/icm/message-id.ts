import { keccak_256 } from '@noble/hashes/sha3.js';
import type { Address, Hash } from '../evm/rpc/hex-values.js';
import { toHex } from '../ids/hex.js';

export interface MessageIdParts {
  /** The messenger, which has one address on all chains. */
  readonly contract: Address;
  readonly sourceBlockchainId: Hash;
  readonly destinationBlockchainId: Hash;
  readonly nonce: bigint;
}

/** As the messenger makes it: keccak256 of the four, ABI-encoded. So an id that is recomputed can be of no other contract or chain. */
export function messageIdOf(parts: MessageIdParts): Hash {
  const words = [
    parts.contract.slice(2).padStart(64, '0'),
    parts.sourceBlockchainId.slice(2),
    parts.destinationBlockchainId.slice(2),
    parts.nonce.toString(16).padStart(64, '0'),
  ];
  return `0x${toHex(keccak_256(Buffer.from(words.join(''), 'hex')))}`;
}
