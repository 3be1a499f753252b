import { SIGNATURE_BYTES } from '../avalanche/bls/bls.js';
import { signProofOfPossession } from '../avalanche/bls/proof-of-possession.js';
import type { ValidatorSigner } from './signer.js';

/** The point at infinity: a signature in form, valid for nobody. */
export const INFINITY_SIGNATURE: Uint8Array = (() => {
  const bytes = new Uint8Array(SIGNATURE_BYTES);
  bytes[0] = 0xc0;
  return bytes;
})();

export type ProofMode = 'valid' | 'placeholder';

/**
 * Signatures under the proof-of-possession tag, made on first use. Each takes about 25 ms, so large sandboxes put the
 * point at infinity in their place; nodes notice, clients that know a peer by its certificate do not.
 */
export class ProofMaker {
  private readonly proofs = new Map<ValidatorSigner, Uint8Array>();

  constructor(readonly mode: ProofMode) {}

  proofOfPossession(signer: ValidatorSigner | undefined): Uint8Array {
    if (signer === undefined || this.mode === 'placeholder') return INFINITY_SIGNATURE;
    const made = this.proofs.get(signer) ?? signProofOfPossession(signer.secretKey).toBytes();
    this.proofs.set(signer, made);
    return made;
  }

  /** Over the 26 bytes of a node's address; the caller keeps it. */
  ipSignature(signer: ValidatorSigner, bytes: Uint8Array): Uint8Array {
    return this.mode === 'valid'
      ? signProofOfPossession(signer.secretKey, bytes).toBytes()
      : INFINITY_SIGNATURE;
  }
}
