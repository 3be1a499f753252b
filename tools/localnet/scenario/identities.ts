import { createHash } from 'node:crypto';
import { bls, type BlsSecretKey } from '../../../src/avalanche/bls/bls.js';
import { signProofOfPossession } from '../../../sandbox/bls/proof-of-possession.js';
import { TlsIdentity } from '../../../src/avalanche/p2p/peer/tls-identity.js';
import { toHex } from '../../../src/avalanche/ids/hex.js';
import { nodeIdFromString } from '../../../src/avalanche/ids/node-id.js';
import type { ShortId } from '../../../src/avalanche/platformvm/ids.js';
import type { ProofOfPossession } from '../../../src/avalanche/platformvm/transaction.js';
import { makeLateBlsKey } from './l1-messages.js';

/** A validator to be: with a node that runs under these keys, or without any. */
export interface Identity {
  readonly nodeId: ShortId;
  readonly tls: TlsIdentity;
  readonly blsKey: BlsSecretKey;
  readonly signer: ProofOfPossession;
}

/** The same identity for the same name. Its BLS key stands behind those of `before` in canonical order. */
export function makeIdentity(name: string, before: readonly BlsSecretKey[]): Identity {
  const secret = derive(`tls ${name}`);
  secret[0] = (secret[0] ?? 0) & 0x3f; // below the order of the curve
  const tls = TlsIdentity.fromSecret(secret);
  const blsKey = makeLateBlsKey(`bls ${name}`, before, derive);
  return { nodeId: toHex(nodeIdFromString(tls.nodeId)), tls, blsKey, signer: proofOf(blsKey) };
}

function proofOf(key: BlsSecretKey): ProofOfPossession {
  return {
    publicKey: bls.publicKeyOf(key).toCompressed(),
    proofOfPossession: signProofOfPossession(key).toBytes(),
  };
}

function derive(word: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(`scenario ${word}`).digest());
}
