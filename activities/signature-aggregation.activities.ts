import { Injectable, Logger } from '@nestjs/common';
import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { isAvalancheError } from '../src/avalanche/avalanche.error.js';
import { inTime } from '../src/platform/in-time.js';
import { BatchedCalls } from '../src/resources/signature-aggregator/batched-calls.js';
import {
  type CollectionOutcome,
  SignatureCollector,
} from '../src/resources/signature-aggregator/collect/signature-collector.js';
import { describeSet } from '../src/resources/signature-aggregator/message/signing-set.js';
import { OpenRuns } from '../src/resources/signature-aggregator/record/open-runs.js';
import { PeerConnections } from '../src/resources/signature-aggregator/peers/peer-connections.js';
import { SignatureRepository } from '../src/resources/signature-aggregator/store/signature.repository.js';
import type { SignatureAggregationActivities as Contract } from '../workflows/contracts/activities.js';
import {
  type AggregateSignaturesInput,
  type CollectedMessage,
  type CollectSignaturesInput,
  isFinalAggregationFailure,
  PEERS_MISSING,
  type ResolvedValidatorSet,
  type SaveAggregatedSignatureInput,
} from '../workflows/contracts/aggregate-signatures.js';
import {
  type AggregatedRequests,
  type AggregateRequestsInput,
  type Outcome,
  outcomeOf,
  type RequestOutcome,
} from '../workflows/contracts/aggregation-run.js';
import type { RemoveOldSignaturesInput } from '../workflows/contracts/scheduled.js';
import { asApplicationFailure } from './application-failure.js';
import { withHeartbeat } from './with-heartbeat.js';

/** A Postgres that does not answer by then counts as away: the activity has a time limit, and a run does not wait for the store. */
const FIND_TIMEOUT_MS = 500;
const SAVE_TIMEOUT_MS = 2_000;
/** Attempts of processes that are cut off, after which the failure is final: the caller waits for its reason only so long. */
const MAX_CUT_OFF_ATTEMPTS = 3;

/** Of a run that another process has left behind, requests are taken up so many at a time. */
const TAKEN_UP = 32;
/** Those that are not begun by then continue as workflows of their own, for which the workers' slots are shared among callers. */
const TAKE_UP_MS = 1_500;

const UNFINISHED: Outcome = { status: 'unfinished' };

const isFinal = ({ code }: { code: string }): boolean => isFinalAggregationFailure(code);

@Injectable()
export class SignatureAggregationActivities implements Contract {
  private readonly logger = new Logger(SignatureAggregationActivities.name);
  private readonly saves = new BatchedCalls((results: SaveAggregatedSignatureInput[]) =>
    this.repository.saveAggregated(results),
  );

  constructor(
    private readonly collector: SignatureCollector,
    private readonly runs: OpenRuns,
    private readonly repository: SignatureRepository,
    private readonly peers: PeerConnections,
  ) {}

  /**
   * Stores what this process has collected since it recorded the requests. For a run of another process: what that one has stored
   * counts, and the rest is collected now. Afterwards a run of this process stays open for a moment.
   */
  async aggregateRequests({
    runId,
    requests,
    collectorQueue,
  }: AggregateRequestsInput): Promise<AggregatedRequests> {
    if (collectorQueue !== undefined && collectorQueue !== this.runs.queue) return null;
    return withHeartbeat(async () => {
      const isAwaited = !this.runs.has(runId);
      const takenUpAtMs = performance.now();
      const finish = async (input: AggregateSignaturesInput): Promise<RequestOutcome> => {
        const isLate = isAwaited && performance.now() - takenUpAtMs > TAKE_UP_MS;
        return outcomeOf(input, isLate ? UNFINISHED : await this.finish(input, isAwaited));
      };
      return {
        outcomes: await (isAwaited ? inTurns(requests, finish) : Promise.all(requests.map(finish))),
        isMoreComing: await this.runs.settle(runId, requests.length),
      };
    });
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
    try {
      return await withHeartbeat((signal) => this.collector.collect(input, at, { signal }));
    } catch (error) {
      throw this.isOwnIsolation(input, error)
        ? ApplicationFailure.retryable(error.message, error.code)
        : error;
    }
  }

  /** Whether the process lacks the peers rather than the validators being away: another process may have them. */
  private isOwnIsolation(input: CollectSignaturesInput, error: unknown): error is Error & { code: string } {
    if (!isAvalancheError(error) || error.code !== PEERS_MISSING) return false;
    return this.peers.isCutOff(input.network) && activityInfo().attempt < MAX_CUT_OFF_ATTEMPTS;
  }

  @asApplicationFailure(isFinal)
  async saveAggregatedSignature(input: SaveAggregatedSignatureInput): Promise<void> {
    await this.saves.add(input);
  }

  async removeOldSignatures({ olderThanDays }: RemoveOldSignaturesInput): Promise<void> {
    await this.repository.removeOld({ days: olderThanDays });
  }

  private async finish(input: AggregateSignaturesInput, isAwaited: boolean): Promise<Outcome> {
    if (this.collector.find(input) === undefined && (await this.isStored(input))) return { status: 'stored' };
    const joined = this.collector.join(input);
    const own = this.collector.find(input);
    const outcome = await joined;
    try {
      return await this.store(input, outcome, isAwaited);
    } finally {
      // Not a newer one, which another request may have begun meanwhile.
      this.collector.release(input, own);
    }
  }

  private async isStored(input: AggregateSignaturesInput): Promise<boolean> {
    try {
      const finding = this.repository.findAnswer(input, this.collector.resolve(input));
      return (await inTime(finding, FIND_TIMEOUT_MS)).signedMessage !== undefined;
    } catch (error) {
      this.logger.debug(`${input.requestDigest} is collected anew: ${String(error)}`);
      return false;
    }
  }

  /** A result that cannot be stored now is handed to the workflow, which stores it later. */
  private async store(
    { network, requestDigest, sourceBlockchainId }: AggregateSignaturesInput,
    outcome: CollectionOutcome,
    isAwaited: boolean,
  ): Promise<Outcome> {
    switch (outcome.status) {
      case 'unfinished':
        return UNFINISHED;
      case 'failed':
        return { status: 'failed', type: outcome.error.code, message: outcome.error.message };
      case 'collected': {
        const { validatorSet, collected } = outcome;
        const save = { network, requestDigest, sourceBlockchainId, validatorSet, collected, isAwaited };
        try {
          await inTime(this.saves.add(save), SAVE_TIMEOUT_MS);
        } catch (error) {
          this.logger.warn(`${requestDigest} not stored yet: ${String(error)}`);
          return { status: 'unsaved', save };
        }
        const { signers, signedPercentage, signedMessage } = collected;
        const { signingSubnetId } = validatorSet;
        const signed = { status: 'signed', signingSubnetId, signers, signedPercentage } as const;
        return isAwaited ? { ...signed, signedMessage } : signed;
      }
    }
  }
}

async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = [...items.entries()];
  const workThrough = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, item] = next;
      results[index] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: TAKEN_UP }, workThrough));
  return results;
}
