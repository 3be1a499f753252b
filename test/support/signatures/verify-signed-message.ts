import { noble } from '../../../src/avalanche/bls/noble.js';
import { fromHex } from '../../../src/avalanche/ids/hex.js';
import { unpackBitSet } from '../../../src/avalanche/warp/bit-set.js';
import type { CanonicalValidatorSet } from '../../../src/avalanche/warp/canonical-validator-set.js';
import { type Message, unpackMessage } from '../../../src/avalanche/warp/message.js';
import { verifyMessage } from '../../../src/avalanche/warp/verify-message.js';

/** Checks an API answer as the receiving chain would, with the reference BLS implementation. Throws when it would be refused. */
export function verifySignedMessage(
  answer: unknown,
  options: { networkId: number; validatorSet: CanonicalValidatorSet; quorumPercentage: number },
): { message: Message; signers: number[]; signedWeight: bigint } {
  if (
    typeof answer !== 'object' ||
    answer === null ||
    !('signedMessage' in answer) ||
    typeof answer.signedMessage !== 'string'
  ) {
    throw new Error(`not a signed message: ${JSON.stringify(answer)}`);
  }
  const message = unpackMessage(fromHex(answer.signedMessage));
  verifyMessage({
    message,
    networkId: options.networkId,
    validatorSet: options.validatorSet,
    quorumNumerator: options.quorumPercentage,
    quorumDenominator: 100,
    bls: noble,
  });
  const signers = unpackBitSet(message.signature.signers);
  const signedWeight = signers.reduce(
    (sum, index) => sum + (options.validatorSet.validators[index]?.weight ?? 0n),
    0n,
  );
  return { message, signers, signedWeight };
}
