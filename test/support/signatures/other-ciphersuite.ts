import { bls12_381 } from '@noble/curves/bls12-381.js';
import type { BlsPublicKey, BlsSecretKey, BlsSignature } from '../../../src/avalanche/bls/bls.interface.js';

/** Signatures under another ciphersuite than that of messages: `dst` is its tag. */

const { longSignatures, G1 } = bls12_381;

/** The 96 compressed bytes. */
export function signWithDst(message: Uint8Array, dst: string, secretKey: BlsSecretKey): Uint8Array {
  const point = longSignatures.sign(longSignatures.hash(message, dst), secretKey.toBytes());
  return longSignatures.Signature.toBytes(point);
}

export function verifyWithDst(check: {
  message: Uint8Array;
  dst: string;
  publicKey: BlsPublicKey;
  signature: BlsSignature;
}): boolean {
  const signature = longSignatures.Signature.fromBytes(check.signature.toBytes());
  const publicKey = G1.Point.fromBytes(check.publicKey.toCompressed());
  if (signature.is0()) return false;
  return longSignatures.verify(signature, longSignatures.hash(check.message, check.dst), publicKey);
}
