import {
  PROOF_OF_POSSESSION_DST,
  type BlsPublicKey,
  type BlsSecretKey,
  type BlsSignature,
} from './bls.interface.js';
import { blst } from './blst.js';
import { hashToCurve, multiply } from './hash-to-curve.js';
import { verifyWithDst } from './noble.js';

/**
 * Signature under the proof-of-possession ciphersuite (avalanchego v1.14.2 utils/crypto/bls/signer/localsigner).
 * A proof of possession signs the key's own 48 bytes, the default; a node's handshake signs its 26 IP bytes.
 */
export function signProofOfPossession(
  secretKey: BlsSecretKey,
  message: Uint8Array = blst.publicKeyOf(secretKey).toCompressed(),
): BlsSignature {
  const scalar = BigInt(`0x${Buffer.from(secretKey.toBytes()).toString('hex')}`);
  const signature = multiply(hashToCurve(message, PROOF_OF_POSSESSION_DST), scalar);
  return blst.signatureFromBytes(signature.toBytes(true));
}

/** Verifies what signProofOfPossession made; `message` is again the key's own bytes by default. */
export function verifyProofOfPossession(
  publicKey: BlsPublicKey,
  signature: BlsSignature,
  message: Uint8Array = publicKey.toCompressed(),
): boolean {
  return verifyWithDst({ message, dst: PROOF_OF_POSSESSION_DST, publicKey, signature });
}
