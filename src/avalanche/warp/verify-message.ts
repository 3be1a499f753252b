import { AvalancheError } from '../avalanche.error.js';
import { bls as defaultBls, BlsError, type Bls, type BlsSignature } from '../bls/bls.js';
import { CodecError } from '../codec/codec.error.js';
import type { BitSetSignature } from './bit-set-signature.js';
import { bitLength, unpackBitSet } from './bit-set.js';
import type { CanonicalValidator, CanonicalValidatorSet } from './canonical-validator-set.js';
import type { Message } from './message.js';
import { packUnsignedMessage } from './unsigned-message.js';

/** In the order in which the verifier looks. */
export type WarpVerificationErrorCode =
  | 'WRONG_NETWORK_ID'
  | 'INVALID_BIT_SET'
  | 'UNKNOWN_VALIDATOR'
  | 'INSUFFICIENT_WEIGHT'
  | 'MALFORMED_SIGNATURE'
  | 'NO_SIGNERS'
  | 'INVALID_SIGNATURE';

/** A chain that received the message would refuse it. */
export class WarpVerificationError extends AvalancheError<WarpVerificationErrorCode> {}

export interface VerifyMessageParameters {
  message: Message;
  networkId: number;
  /** Of the signing subnet at the height that the verifying chain uses. */
  validatorSet: CanonicalValidatorSet;
  quorumNumerator: bigint | number;
  quorumDenominator: bigint | number;
  bls?: Bls;
}

/**
 * Verifies a message as a chain does before it accepts it, in its order (avalanchego v1.14.2 vms/platformvm/warp/signature.go,
 * BitSetSignature.Verify; 67/100 by default there). Throws WarpVerificationError with the first reason to refuse.
 */
export function verifyMessage(parameters: VerifyMessageParameters): void {
  const { message, validatorSet, bls = defaultBls } = parameters;
  const { unsignedMessage, signature } = message;
  if (unsignedMessage.networkId !== parameters.networkId) {
    throw new WarpVerificationError(
      'WRONG_NETWORK_ID',
      `message of network ${unsignedMessage.networkId}, network ${parameters.networkId} expected`,
    );
  }
  const signers = signersOf(signature, validatorSet);
  checkWeight(signers, parameters);
  const aggregate = parseAggregate(signature, bls);
  if (signers.length === 0) throw new WarpVerificationError('NO_SIGNERS', 'nobody signed');
  const publicKey = bls.aggregatePublicKeys(signers.map((signer) => signer.publicKey));
  if (!bls.verify(packUnsignedMessage(unsignedMessage), publicKey, aggregate)) {
    throw new WarpVerificationError('INVALID_SIGNATURE', 'the aggregate signature does not verify');
  }
}

function signersOf(signature: BitSetSignature, { validators }: CanonicalValidatorSet): CanonicalValidator[] {
  // The length comes first: a bit set of millions of bits is refused before it is expanded.
  const length = asVerificationError('INVALID_BIT_SET', () => bitLength(signature.signers));
  if (length > validators.length) {
    throw new WarpVerificationError(
      'UNKNOWN_VALIDATOR',
      `bit ${length - 1} of ${validators.length} validators`,
    );
  }
  const indices = new Set(unpackBitSet(signature.signers));
  return validators.filter((_, index) => indices.has(index));
}

function checkWeight(signers: readonly CanonicalValidator[], parameters: VerifyMessageParameters): void {
  const { validatorSet, quorumNumerator, quorumDenominator } = parameters;
  const signedWeight = signers.reduce((sum, { weight }) => sum + weight, 0n);
  if (signedWeight * BigInt(quorumDenominator) < validatorSet.totalWeight * BigInt(quorumNumerator)) {
    throw new WarpVerificationError(
      'INSUFFICIENT_WEIGHT',
      `signed ${signedWeight} of ${validatorSet.totalWeight}, ${quorumNumerator}/${quorumDenominator} needed`,
    );
  }
}

function parseAggregate({ signature }: BitSetSignature, bls: Bls): BlsSignature {
  return asVerificationError('MALFORMED_SIGNATURE', () => bls.signatureFromBytes(signature));
}

function asVerificationError<T>(code: WarpVerificationErrorCode, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof CodecError || cause instanceof BlsError)) throw cause;
    throw new WarpVerificationError(code, cause.message, { cause });
  }
}
