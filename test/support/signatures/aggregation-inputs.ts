import type {
  AggregateSignaturesInput,
  CollectedMessage,
  ResolvedValidatorSet,
} from '../../../workflows/contracts/aggregate-signatures.js';

/** Inputs and results of aggregation workflows, where the content makes no difference. */
export const VALIDATOR_SET: ResolvedValidatorSet = {
  signingSubnetId: '11111111111111111111111111111111LpoYY',
  pChainHeight: '56',
  validatorSetDigest: 'ab'.repeat(32),
  validatorCount: 5,
  totalWeight: '100',
};

export const COLLECTED: CollectedMessage = {
  signedMessage: '00',
  signers: 4,
  signedWeight: '80',
  signedPercentage: 80,
};

export function makeAggregationInput(requestDigest: string): AggregateSignaturesInput {
  return {
    network: 'fuji',
    requestDigest,
    message: '00',
    justification: '',
    sourceBlockchainId: '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5',
    quorumPercentage: 67,
    quorumPercentageBuffer: 0,
    pChainHeight: '0',
    caller: 'caller',
    // A busy machine must not be taken for a worker that is dead.
    timeouts: { firstAttemptMs: 60_000, totalMs: 60_000, heartbeatMs: 60_000 },
  };
}
