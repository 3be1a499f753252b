import { proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { SignatureAggregationActivities } from './contracts/activities.js';
import {
  type AggregateSignaturesInput,
  type CollectedMessage,
  FINAL_AGGREGATION_FAILURES,
  PEERS_MISSING,
  type ResolvedValidatorSet,
  type SignedMessage,
} from './contracts/aggregate-signatures.js';
import { NDS_SIGNED_PERCENTAGE, NDS_SIGNING_SUBNET_ID } from './contracts/search-attributes.js';

/** Beyond the time for collecting: connecting to Postgres, resolving the set again. */
const COLLECT_SLACK_MS = 6_000;

const nonRetryableErrorTypes: string[] = FINAL_AGGREGATION_FAILURES.filter((type) => type !== PEERS_MISSING);

/**
 * Finishes a request that its run could not: gathers signatures until quorum plus buffer, from those gathered before, and stores
 * the signed message. `signed`: the message of a run that could not store it.
 */
export async function aggregateSignaturesWorkflow(
  input: AggregateSignaturesInput,
  signed?: SignedMessage,
): Promise<CollectedMessage> {
  const validatorSet = signed?.validatorSet ?? (await resolveValidatorSet(input));
  const collected = signed?.collected ?? (await collectSignatures(input, validatorSet));
  await storeSignedMessage(input, { validatorSet, collected });
  upsertSearchAttributes([
    { key: NDS_SIGNING_SUBNET_ID, value: validatorSet.signingSubnetId },
    { key: NDS_SIGNED_PERCENTAGE, value: collected.signedPercentage },
  ]);
  setCurrentDetails(
    `**${collected.signedPercentage} %** of the weight of subnet \`${validatorSet.signingSubnetId}\` signed ` +
      `(${collected.signers} signers of ${validatorSet.validatorCount} validators, P-chain height ${validatorSet.pChainHeight})`,
  );
  return collected;
}

function resolveValidatorSet(input: AggregateSignaturesInput): Promise<ResolvedValidatorSet> {
  const regular = proxyActivities<SignatureAggregationActivities>({
    // Two calls to the node, each with a time limit of its own per node URL.
    startToCloseTimeout: '30 seconds',
    // The caller is waiting: a node that stays away is reported after a few seconds, not after minutes.
    retry: { initialInterval: 500, backoffCoefficient: 2, maximumAttempts: 3, nonRetryableErrorTypes },
    summary: 'canonical validator set',
  });
  return regular.resolveValidatorSet(input);
}

async function collectSignatures(
  input: AggregateSignaturesInput,
  { signingSubnetId, pChainHeight, validatorCount }: ResolvedValidatorSet,
): Promise<CollectedMessage> {
  upsertSearchAttributes([{ key: NDS_SIGNING_SUBNET_ID, value: signingSubnetId }]);
  setCurrentDetails(`collecting signatures of subnet \`${signingSubnetId}\``);
  const regular = proxyActivities<SignatureAggregationActivities>({
    startToCloseTimeout: input.timeouts.totalMs + COLLECT_SLACK_MS,
    // Room for workers that die on the way; each attempt resumes from the signatures gathered before.
    scheduleToCloseTimeout: input.timeouts.totalMs * 4,
    heartbeatTimeout: input.timeouts.heartbeatMs,
    retry: {
      initialInterval: 200,
      backoffCoefficient: 2,
      maximumInterval: 5_000,
      nonRetryableErrorTypes,
    },
    summary: `${input.quorumPercentage} % + ${input.quorumPercentageBuffer} % of ${validatorCount} validators`,
  });
  return regular.collectSignatures({ ...input, signingSubnetId, pChainHeight });
}

function storeSignedMessage(
  { network, requestDigest, sourceBlockchainId }: AggregateSignaturesInput,
  signed: SignedMessage,
): Promise<void> {
  const regular = proxyActivities<SignatureAggregationActivities>({
    startToCloseTimeout: '10 seconds',
    // Longer than a restart of Postgres.
    scheduleToCloseTimeout: '5 minutes',
    retry: { maximumInterval: '5 seconds' },
    summary: 'store the signed message',
  });
  const request = { network, requestDigest, sourceBlockchainId };
  return regular.saveAggregatedSignature({ ...request, ...signed, isAwaited: true });
}
