import type {
  AggregateSignaturesInput,
  CollectedMessage,
} from '../../../../workflows/contracts/aggregate-signatures.js';
import { fromHex, toHex } from '../../../avalanche/ids/hex.js';
import { percentageOf } from '../../../avalanche/signature-aggregation/aggregation.error.js';
import type { SignedMessage } from '../../../avalanche/signature-aggregation/assemble-signed-message.js';
import type { CanonicalValidatorSet } from '../../../avalanche/warp/canonical-validator-set.js';
import { unpackMessage } from '../../../avalanche/warp/message.js';
import { verifyMessage, WarpVerificationError } from '../../../avalanche/warp/verify-message.js';
import type { ValidatorSetAtHeight } from '../../../platform/networks/network.js';

export function toPayload(
  { bytes, signers, signedWeight }: SignedMessage,
  { totalWeight }: CanonicalValidatorSet,
): CollectedMessage {
  return {
    signedMessage: toHex(bytes),
    signers: signers.length,
    signedWeight: signedWeight.toString(),
    signedPercentage: percentageOf(signedWeight, totalWeight),
  };
}

/** Whether the validators of this set would be found to have signed, with the quorum that was asked for. */
export function holdsFor(
  signedMessage: string,
  { quorumPercentage }: AggregateSignaturesInput,
  { set: validatorSet }: ValidatorSetAtHeight,
): boolean {
  const message = unpackMessage(fromHex(signedMessage));
  const { networkId } = message.unsignedMessage;
  try {
    verifyMessage({
      message,
      networkId,
      validatorSet,
      quorumNumerator: quorumPercentage,
      quorumDenominator: 100,
    });
    return true;
  } catch (error) {
    if (error instanceof WarpVerificationError) return false;
    throw error;
  }
}
