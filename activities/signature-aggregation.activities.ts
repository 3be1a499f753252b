import { Injectable, Logger } from '@nestjs/common';
import { cancellationSignal } from '@temporalio/activity';
import { AggregationError } from '../src/avalanche/signature-aggregation/aggregation.error.js';
import { OpenRuns } from '../src/resources/signature-aggregator/record/open-runs.js';
import {
  type CollectionOutcome,
  describeSet,
  RunningCollections,
} from '../src/resources/signature-aggregator/collect/running-collections.js';
import { SignatureCollector } from '../src/resources/signature-aggregator/collect/signature-collector.js';
import {
  type AggregationResult,
  SignatureRepository,
} from '../src/resources/signature-aggregator/store/signature.repository.js';
import type { SignatureAggregationActivities as Contract } from '../workflows/contracts/activities.js';
import {
  type AggregateSignaturesInput,
  type CollectedMessage,
  type CollectSignaturesInput,
  isFinalAggregationFailure,
  type QuickAggregation,
  type ResolvedValidatorSet,
  type SaveAggregatedSignatureInput,
} from '../workflows/contracts/aggregate-signatures.js';
import type {
  AggregatedRequests,
  AggregateRequestsInput,
  RequestOutcome,
} from '../workflows/contracts/aggregation-run.js';
import type { RemoveOldSignaturesInput } from '../workflows/contracts/scheduled.js';
import { asApplicationFailure } from './application-failure.js';
import { startHeartbeat } from './start-heartbeat.js';

const isFinal = ({ code }: { code: string }): boolean => isFinalAggregationFailure(code);

type ActivityOutcome = CollectionOutcome | { status: 'stored' };

@Injectable()
export class SignatureAggregationActivities implements Contract {
  private readonly logger = new Logger(SignatureAggregationActivities.name);

  constructor(
    private readonly collector: SignatureCollector,
    private readonly collections: RunningCollections,
    private readonly runs: OpenRuns,
    private readonly repository: SignatureRepository,
  ) {}

  /**
   * What this process has collected since it took the requests, stored; where another process took them, what that one has
   * stored, or else what is collected now. Afterwards the run stays open for a moment.
   */
  async aggregateRequests({ runId, requests }: AggregateRequestsInput): Promise<AggregatedRequests> {
    const collected = await Promise.all(
      requests.map(async (input) => ({ input, outcome: await this.outcomeOf(input) })),
    );
    const isSaved = await this.trySave(collected.flatMap(({ input, outcome }) => toSave(input, outcome)));
    for (const { input } of collected) this.collections.release(input);
    return {
      outcomes: collected.map(({ input, outcome }) => toRequestOutcome(input, outcome, isSaved)),
      isMoreComing: await this.runs.settle(runId, requests.length),
    };
  }

  /**
   * The whole aggregation within the fast path's budget: set, signatures, result. What did not come in that time is left to the
   * regular activities.
   */
  @asApplicationFailure(isFinal)
  async aggregateQuickly(input: AggregateSignaturesInput): Promise<QuickAggregation> {
    const at = await this.collector.resolve(input);
    const validatorSet = describeSet(at);
    try {
      const budgetMs = input.timeouts.fastPathMs;
      const collected = await this.collector.collect(input, at, { budgetMs, signal: cancellationSignal() });
      const isSaved = await this.trySave([{ ...input, validatorSet, collected }], { tell: true });
      return { validatorSet, collected, isSaved };
    } catch (error) {
      if (error instanceof AggregationError && !error.isFinal) return { validatorSet, isSaved: false };
      throw error;
    }
  }

  /** Source chain → signing subnet → canonical validator set at the height. */
  @asApplicationFailure(isFinal)
  async resolveValidatorSet(input: AggregateSignaturesInput): Promise<ResolvedValidatorSet> {
    return describeSet(await this.collector.resolve(input));
  }

  /** Asks the validators over p2p until quorum plus buffer, resuming from signatures that any worker gathered before. */
  @asApplicationFailure(isFinal)
  async collectSignatures(input: CollectSignaturesInput): Promise<CollectedMessage> {
    const at = await this.collector.resolve(input);
    // Heartbeats only prove life (the SDK throttles them); what was gathered is in Postgres.
    const stopHeartbeat = startHeartbeat();
    try {
      return await this.collector.collect(input, at, { signal: cancellationSignal() });
    } finally {
      stopHeartbeat();
    }
  }

  @asApplicationFailure(isFinal)
  async saveAggregatedSignature(input: SaveAggregatedSignatureInput): Promise<void> {
    await this.repository.saveAggregated([toRow(input)], { tell: true });
  }

  async removeOldSignatures({ olderThanDays }: RemoveOldSignaturesInput): Promise<void> {
    await this.repository.removeOlderThan({ days: olderThanDays });
  }

  private async outcomeOf(input: AggregateSignaturesInput): Promise<ActivityOutcome> {
    const own = this.collections.find(input);
    if (own !== undefined) return own;
    return (await this.isStored(input)) ? { status: 'stored' } : this.collections.join(input);
  }

  private async isStored(input: AggregateSignaturesInput): Promise<boolean> {
    try {
      const [stored, { set }] = await Promise.all([
        this.repository.findAggregated(input.network, Buffer.from(input.requestDigest, 'hex')),
        this.collector.resolve(input),
      ]);
      return stored?.validatorSetDigest.toString('hex') === set.digest;
    } catch (error) {
      this.logger.debug(`${input.requestDigest} is collected anew: ${String(error)}`);
      return false;
    }
  }

  /** Results that cannot be stored now are no reason to lose them: the workflow stores them later. */
  private async trySave(
    inputs: readonly SaveAggregatedSignatureInput[],
    { tell } = { tell: false },
  ): Promise<boolean> {
    try {
      await this.repository.saveAggregated(inputs.map(toRow), { tell });
      return true;
    } catch (error) {
      this.logger.warn(`${inputs.length} results not stored yet: ${String(error)}`);
      return false;
    }
  }
}

function toSave(
  { network, requestDigest, sourceBlockchainId }: AggregateSignaturesInput,
  outcome: ActivityOutcome,
): SaveAggregatedSignatureInput[] {
  if (outcome.status !== 'collected') return [];
  const { validatorSet, collected } = outcome;
  return [{ network, requestDigest, sourceBlockchainId, validatorSet, collected }];
}

function toRow(input: SaveAggregatedSignatureInput): AggregationResult {
  const { network, requestDigest, sourceBlockchainId, validatorSet, collected } = input;
  return {
    network,
    requestDigest: Buffer.from(requestDigest, 'hex'),
    validatorSetDigest: Buffer.from(validatorSet.validatorSetDigest, 'hex'),
    signingSubnetId: validatorSet.signingSubnetId,
    sourceBlockchainId,
    pChainHeight: validatorSet.pChainHeight,
    signedWeight: collected.signedWeight,
    totalWeight: validatorSet.totalWeight,
    signedMessage: Buffer.from(collected.signedMessage, 'hex'),
  };
}

function toRequestOutcome(
  input: AggregateSignaturesInput,
  outcome: ActivityOutcome,
  isSaved: boolean,
): RequestOutcome {
  const { requestDigest, requestId } = input;
  const request = { requestDigest, ...(requestId === undefined ? {} : { requestId }) };
  switch (outcome.status) {
    case 'unfinished':
    case 'stored':
      return { ...request, status: outcome.status };
    case 'failed':
      return { ...request, status: 'failed', type: outcome.error.code, message: outcome.error.message };
    case 'collected': {
      const [save] = toSave(input, outcome);
      if (!isSaved && save !== undefined) return { ...request, status: 'unsaved', save };
      const { signers, signedPercentage } = outcome.collected;
      const { signingSubnetId } = outcome.validatorSet;
      return { ...request, status: 'signed', signingSubnetId, signers, signedPercentage };
    }
  }
}
