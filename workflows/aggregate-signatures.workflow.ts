import {
  ActivityFailure,
  ApplicationFailure,
  log,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { SignatureAggregationActivities } from './contracts/activities.js';
import {
  type AggregateSignaturesInput,
  type AggregateSignaturesResult,
  type CollectedMessage,
  type CollectSignaturesInput,
  FINAL_AGGREGATION_FAILURES,
  type ResolvedValidatorSet,
} from './contracts/aggregate-signatures.js';
import { NDS_SIGNED_PERCENTAGE, NDS_SIGNING_SUBNET_ID } from './contracts/search-attributes.js';

/** A local activity runs inside the workflow task, so it must stay well below that task's timeout of 10 s. */
const LOCAL_SLACK_MS = 1_500;

const nonRetryableErrorTypes: string[] = [...FINAL_AGGREGATION_FAILURES];

/**
 * Gathers validators' signatures over one message until quorum plus buffer, and stores the signed message.
 *
 * When the validators are connected and honest, set and signatures come within a short budget in local activities: one workflow
 * task. Otherwise regular, heartbeating activities take over, on any worker, from what was gathered so far.
 */
export async function aggregateSignaturesWorkflow(
  input: AggregateSignaturesInput,
): Promise<AggregateSignaturesResult> {
  const validatorSet = await resolveValidatorSet(input);
  const collected = await collectSignatures(input, validatorSet);
  await save(input, validatorSet, collected);
  upsertSearchAttributes([
    { key: NDS_SIGNING_SUBNET_ID, value: validatorSet.signingSubnetId },
    { key: NDS_SIGNED_PERCENTAGE, value: collected.signedPercentage },
  ]);
  setCurrentDetails(
    `**${collected.signedPercentage} %** of the weight of subnet \`${validatorSet.signingSubnetId}\` signed ` +
      `(${collected.signers} signers of ${validatorSet.validatorCount} validators, P-chain height ${validatorSet.pChainHeight})`,
  );
  return { ...collected, validatorSetDigest: validatorSet.validatorSetDigest };
}

async function resolveValidatorSet(input: AggregateSignaturesInput): Promise<ResolvedValidatorSet> {
  const request = {
    network: input.network,
    sourceBlockchainId: input.sourceBlockchainId,
    pChainHeight: input.pChainHeight,
    ...(input.signingSubnetId === undefined ? {} : { signingSubnetId: input.signingSubnetId }),
  };
  const local = proxyLocalActivities<SignatureAggregationActivities>({
    startToCloseTimeout: input.timeouts.fastPathMs + LOCAL_SLACK_MS,
    retry: { maximumAttempts: 1, nonRetryableErrorTypes },
  });
  try {
    return await local.resolveValidatorSet(request);
  } catch (error) {
    if (isFinal(error)) throw error;
    log.warn('validator set not resolved on the fast path', { error });
  }
  const regular = proxyActivities<SignatureAggregationActivities>({
    // Two calls to the node, each with a time limit of its own per node URL.
    startToCloseTimeout: '30 seconds',
    // A node that stays away is the caller's news after a few seconds, not after minutes.
    retry: { initialInterval: 500, backoffCoefficient: 2, maximumAttempts: 3, nonRetryableErrorTypes },
    summary: 'canonical validator set',
  });
  return regular.resolveValidatorSet(request);
}

async function collectSignatures(
  input: AggregateSignaturesInput,
  validatorSet: ResolvedValidatorSet,
): Promise<CollectedMessage> {
  const request: CollectSignaturesInput = {
    network: input.network,
    message: input.message,
    justification: input.justification,
    sourceBlockchainId: input.sourceBlockchainId,
    signingSubnetId: validatorSet.signingSubnetId,
    pChainHeight: validatorSet.pChainHeight,
    quorumPercentage: input.quorumPercentage,
    quorumPercentageBuffer: input.quorumPercentageBuffer,
  };
  return (await collectQuickly(input, request)) ?? (await collectPatiently(input, validatorSet, request));
}

async function collectQuickly(
  { timeouts }: AggregateSignaturesInput,
  request: CollectSignaturesInput,
): Promise<CollectedMessage | undefined> {
  const local = proxyLocalActivities<SignatureAggregationActivities>({
    startToCloseTimeout: timeouts.fastPathMs + LOCAL_SLACK_MS,
    retry: { maximumAttempts: 1, nonRetryableErrorTypes },
  });
  try {
    const result = await local.collectSignatures({ ...request, budgetMs: timeouts.fastPathMs });
    return result.outcome === 'signed' ? result : undefined;
  } catch (error) {
    if (isFinal(error)) throw error;
    log.warn('signatures not collected on the fast path', { error });
    return undefined;
  }
}

async function collectPatiently(
  { timeouts }: AggregateSignaturesInput,
  validatorSet: ResolvedValidatorSet,
  request: CollectSignaturesInput,
): Promise<CollectedMessage> {
  upsertSearchAttributes([{ key: NDS_SIGNING_SUBNET_ID, value: validatorSet.signingSubnetId }]);
  setCurrentDetails(`collecting signatures of subnet \`${validatorSet.signingSubnetId}\``);
  const regular = proxyActivities<SignatureAggregationActivities>({
    startToCloseTimeout: timeouts.totalMs + LOCAL_SLACK_MS * 4,
    // Room for workers that die on the way; each attempt resumes from the signatures gathered before.
    scheduleToCloseTimeout: timeouts.totalMs * 4,
    heartbeatTimeout: timeouts.heartbeatMs,
    retry: { initialInterval: 200, backoffCoefficient: 2, maximumInterval: 5_000, nonRetryableErrorTypes },
    summary: `${request.quorumPercentage} % + ${request.quorumPercentageBuffer} % of ${validatorSet.validatorCount} validators`,
  });
  const result = await regular.collectSignatures(request);
  if (result.outcome !== 'signed')
    throw ApplicationFailure.create({ type: 'INCOMPLETE', message: 'no outcome without a budget' });
  return result;
}

async function save(
  input: AggregateSignaturesInput,
  validatorSet: ResolvedValidatorSet,
  { signedMessage, signers, signedWeight, signedPercentage }: CollectedMessage,
): Promise<void> {
  const request = {
    network: input.network,
    requestDigest: input.requestDigest,
    sourceBlockchainId: input.sourceBlockchainId,
    validatorSet,
    collected: { signedMessage, signers, signedWeight, signedPercentage },
  };
  const local = proxyLocalActivities<SignatureAggregationActivities>({
    startToCloseTimeout: LOCAL_SLACK_MS,
    retry: { maximumAttempts: 1 },
  });
  try {
    await local.saveAggregatedSignature(request);
  } catch (error) {
    log.warn('result not stored on the fast path', { error });
    const regular = proxyActivities<SignatureAggregationActivities>({
      // Outlives a restart of Postgres.
      startToCloseTimeout: '10 seconds',
      scheduleToCloseTimeout: '5 minutes',
      summary: 'store the signed message',
    });
    await regular.saveAggregatedSignature(request);
  }
}

/** Local activities fail with the failure itself, regular ones wrap it. */
function isFinal(error: unknown): boolean {
  const failure = error instanceof ActivityFailure ? error.cause : error;
  return failure instanceof ApplicationFailure && nonRetryableErrorTypes.includes(failure.type ?? '');
}
