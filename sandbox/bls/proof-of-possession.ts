import {
  PROOF_OF_POSSESSION_DST,
  type BlsSecretKey,
  type BlsSignature,
} from '../../src/avalanche/bls/bls.interface.js';
import { blst } from '../../src/avalanche/bls/blst.js';
import { hashToCurve, multiply } from './hash-to-curve.js';

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
