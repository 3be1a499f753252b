import { BlsError } from '../bls/bls.js';
import type { Bls, BlsSignature } from '../bls/bls.js';
import { unpackSignatureResponse } from '../p2p/acp118.js';

const SIGNATURE_LENGTH = 96;

/**
 * The signature in an ACP-118 answer. Peers send any bytes of any length: everything that is not a point of the subgroup is
 * `malformed`, and an empty answer means that the node has no signature for the message.
 */
export function parseSignatureResponse(bls: Bls, appBytes: Uint8Array): BlsSignature | 'empty' | 'malformed' {
  let signature: Uint8Array;
  try {
    signature = unpackSignatureResponse(appBytes);
  } catch {
    return 'malformed';
  }
  if (signature.length === 0) return 'empty';
  if (signature.length !== SIGNATURE_LENGTH) return 'malformed';
  try {
    return bls.signatureFromBytes(signature);
  } catch (error) {
    if (error instanceof BlsError) return 'malformed';
    throw error;
  }
}
