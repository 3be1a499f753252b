import {
  PROOF_OF_POSSESSION_DST,
  type BlsPublicKey,
  type BlsSignature,
} from '../../../src/avalanche/bls/bls.interface.js';
import { verifyWithDst } from './other-ciphersuite.js';

/** Verifies a proof of possession; `message` is by default the key's own bytes, in a handshake those of the address. */
export function verifyProofOfPossession(
  publicKey: BlsPublicKey,
  signature: BlsSignature,
  message: Uint8Array = publicKey.toCompressed(),
): boolean {
  return verifyWithDst({ message, dst: PROOF_OF_POSSESSION_DST, publicKey, signature });
}
