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
  FINAL_AGGREGATION_FAILURES,
  type QuickAggregation,
  type ResolvedValidatorSet,
} from './contracts/aggregate-signatures.js';
import { NDS_SIGNED_PERCENTAGE, NDS_SIGNING_SUBNET_ID } from './contracts/search-attributes.js';
import { storeSignedMessage } from './store-signed-message.js';

/** A local activity runs inside the workflow task, so it must stay well below that task's timeout of 10 s. */
const LOCAL_SLACK_MS = 1_500;

const nonRetryableErrorTypes: string[] = [...FINAL_AGGREGATION_FAILURES];

/**
 * Gathers validators' signatures over one message until quorum plus buffer, and stores the signed message.
 *
 * When the validators are connected and honest, all of it is done within a short budget by one local activity: one workflow
 * task, no queue in between. Otherwise regular, heartbeating activities take over, on any worker, from what was gathered so far.
 */
export async function aggregateSignaturesWorkflow(
  input: AggregateSignaturesInput,
): Promise<AggregateSignaturesResult> {
  const quick = input.isFastPathOver === true ? undefined : await aggregateQuickly(input);
  const validatorSet = quick?.validatorSet ?? (await resolveValidatorSet(input));
  const collected = quick?.collected ?? (await collectSignatures(input, validatorSet));
  if (quick?.isSaved !== true) {
    const { network, requestDigest, sourceBlockchainId } = input;
    await storeSignedMessage({ network, requestDigest, sourceBlockchainId, validatorSet, collected });
  }
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

/** As much of the work as fits into the budget; undefined when it failed in a way that more time may mend. */
async function aggregateQuickly(input: AggregateSignaturesInput): Promise<QuickAggregation | undefined> {
  const local = proxyLocalActivities<SignatureAggregationActivities>({
    startToCloseTimeout: input.timeouts.fastPathMs + LOCAL_SLACK_MS,
    retry: { maximumAttempts: 1, nonRetryableErrorTypes },
  });
  try {
    return await local.aggregateQuickly(input);
  } catch (error) {
    if (isFinal(error)) throw error;
    log.warn('the fast path failed', { error });
    return undefined;
  }
}

function resolveValidatorSet(input: AggregateSignaturesInput): Promise<ResolvedValidatorSet> {
  const regular = proxyActivities<SignatureAggregationActivities>({
    // Two calls to the node, each with a time limit of its own per node URL.
    startToCloseTimeout: '30 seconds',
    // A node that stays away is the caller's news after a few seconds, not after minutes.
    retry: { initialInterval: 500, backoffCoefficient: 2, maximumAttempts: 3, nonRetryableErrorTypes },
    summary: 'canonical validator set',
  });
  return regular.resolveValidatorSet(input);
}

async function collectSignatures(
  input: AggregateSignaturesInput,
  validatorSet: ResolvedValidatorSet,
): Promise<CollectedMessage> {
  const { signingSubnetId, pChainHeight, validatorCount } = validatorSet;
  upsertSearchAttributes([{ key: NDS_SIGNING_SUBNET_ID, value: signingSubnetId }]);
  setCurrentDetails(`collecting signatures of subnet \`${signingSubnetId}\``);
  const regular = proxyActivities<SignatureAggregationActivities>({
    startToCloseTimeout: input.timeouts.totalMs + LOCAL_SLACK_MS * 4,
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

/** Local activities fail with the failure itself, regular ones wrap it. */
function isFinal(error: unknown): boolean {
  const failure = error instanceof ActivityFailure ? error.cause : error;
  return failure instanceof ApplicationFailure && nonRetryableErrorTypes.includes(failure.type ?? '');
}
