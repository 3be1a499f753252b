import { BlsError } from '../bls/bls.js';
import type { Bls, UncheckedBlsSignature } from '../bls/bls.js';
import { unpackSignatureResponse } from '../p2p/messages/acp118.js';

const SIGNATURE_LENGTH = 96;

/**
 * The signature in an ACP-118 answer. Peers send any bytes of any length: everything that is not a point of the curve is
 * `malformed`, and an empty answer or 96 zeros mean that the node has no signature for the message. Whether the point lies in the
 * subgroup is not tested here; see `assembleSignedMessage`.
 */
export function parseSignatureResponse(
  bls: Bls,
  appBytes: Uint8Array,
): UncheckedBlsSignature | 'empty' | 'malformed' {
  let signature: Uint8Array;
  try {
    signature = unpackSignatureResponse(appBytes);
  } catch {
    return 'malformed';
  }
  if (signature.length === 0) return 'empty';
  if (signature.length !== SIGNATURE_LENGTH) return 'malformed';
  if (signature.every((byte) => byte === 0)) return 'empty';
  try {
    return bls.uncheckedSignatureFromBytes(signature);
  } catch (error) {
    if (error instanceof BlsError) return 'malformed';
    throw error;
  }
}
