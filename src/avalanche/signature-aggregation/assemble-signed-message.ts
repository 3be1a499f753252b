import type { Bls, UncheckedBlsSignature } from '../bls/bls.js';
import { packBitSet } from '../warp/bit-set.js';
import type { CanonicalValidatorSet } from '../warp/canonical-validator-set.js';
import { packMessage, unpackMessage } from '../warp/message.js';
import { unpackUnsignedMessage } from '../warp/unsigned-message.js';
import { verifyMessage } from '../warp/verify-message.js';
import { selectSigners } from './select-signers.js';

export interface SignedMessage {
  /** Packed signed Warp message. */
  bytes: Uint8Array;
  signers: number[];
  signedWeight: bigint;
}

/**
 * Aggregates collected signatures into a signed Warp message with no more signers than quorum plus buffer need, and verifies it
 * from its bytes as the receiving chain would: what is returned has been accepted once.
 *
 * The signatures need not be proved, nor lie in the subgroup. Say each is the right one plus an error, which may be any point of
 * the curve. The sum is tested for membership of the subgroup and against the keys; only one point passes both, so if it does,
 * the errors add up to nothing and the sum is the very signature that honest validators would have given. It proves nothing about
 * the parts: errors of several liars can cancel out. So no part may be cached, or blamed, before it was proved by itself.
 *
 * Throws WarpVerificationError when it would be refused: one of the signatures is wrong.
 */
export function assembleSignedMessage(
  bls: Bls,
  request: {
    message: Uint8Array;
    validatorSet: CanonicalValidatorSet;
    quorumPercentage: number;
    quorumPercentageBuffer: number;
    signatures: ReadonlyMap<number, UncheckedBlsSignature>;
  },
): SignedMessage {
  const { validatorSet, quorumPercentage, signatures } = request;
  const candidates = [...signatures].map(([index, signature]) => ({
    index,
    signature,
    weight: validatorSet.validators[index]?.weight ?? 0n,
  }));
  const signers = selectSigners(candidates, {
    totalWeight: validatorSet.totalWeight,
    percentage: quorumPercentage + request.quorumPercentageBuffer,
  });
  const bytes = packMessage({
    unsignedMessage: unpackUnsignedMessage(request.message),
    signature: {
      signers: packBitSet(signers.map((signer) => signer.index)),
      signature: bls.sumSignatures(signers.map((signer) => signer.signature)),
    },
  });
  const message = unpackMessage(bytes);
  verifyMessage({
    message,
    networkId: message.unsignedMessage.networkId,
    validatorSet,
    quorumNumerator: quorumPercentage,
    quorumDenominator: 100,
    bls,
  });
  return {
    bytes,
    signers: signers.map((signer) => signer.index),
    signedWeight: signers.reduce((sum, signer) => sum + signer.weight, 0n),
  };
}
