import { Injectable, Logger, Optional } from '@nestjs/common';
import {
  AGGREGATE_SIGNATURES_QUEUE,
  type AggregateSignaturesInput,
} from '../../../workflows/contracts/aggregate-signatures.js';
import { RpcError } from '../../avalanche/rpc/rpc.error.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import type { Network, ValidatorSetAtHeight } from '../../platform/networks/network.js';
import { Networks } from '../../platform/networks/networks.module.js';
import { ServedQueues } from '../../platform/temporal/served-queues.module.js';
import { TemporalClient } from '../../platform/temporal/temporal.module.js';
import { AggregationMetrics, type AnswerSource, isFromStore } from './aggregation-metrics.js';
import { SignatureCollector } from './collect/signature-collector.js';
import { Deliveries } from './delivery/deliveries.js';
import type { AggregateSignaturesRequest } from './dto/aggregate-signatures.request.js';
import type { DeliveryResponse } from './delivery/delivery.response.js';
import { type Origin, RequestedMessages } from './message/requested-messages.js';
import { PeerConnections } from './peers/peer-connections.js';
import { holdsFor } from './message/signed-message.js';
import { findSigningSet } from './message/signing-set.js';
import { ResultListener } from './record/result-listener.js';
import { RunRecorder } from './record/run-recorder.js';
import { RunResults } from './record/run-results.js';
import { aggregationKey, SignatureRepository } from './store/signature.repository.js';
import { StoredAnswers } from './store/stored-answers.js';

export interface Answer {
  readonly source: AnswerSource;
  /** Hex, without 0x. */
  readonly signedMessage: string;
  /** Of a request that names its destination. */
  readonly delivery?: DeliveryResponse;
}

/** How often a request is begun again because the validators have changed while it was answered. */
const MAX_CHANGES = 3;

/**
 * Answers a request with the stored result, or one that is put together anew from stored signatures, or records it in a run and
 * collects. A process with connections to the validators collects while Temporal records the request; for any other, a worker
 * collects.
 */
@Injectable()
export class SignatureAggregatorService {
  private readonly logger = new Logger(SignatureAggregatorService.name);
  /** Equal requests that are being answered by this process, by key: they share one answer. */
  private readonly inFlight = new Map<string, Promise<Answer>>();

  constructor(
    private readonly networks: Networks,
    private readonly messages: RequestedMessages,
    private readonly deliveries: Deliveries,
    private readonly repository: SignatureRepository,
    private readonly answers: StoredAnswers,
    private readonly recorder: RunRecorder,
    private readonly results: RunResults,
    private readonly listener: ResultListener,
    private readonly metrics: AggregationMetrics,
    private readonly temporal: TemporalClient,
    private readonly queues: ServedQueues,
    @Optional() private readonly signatures?: SignatureCollector,
    @Optional() private readonly peers?: PeerConnections,
  ) {}

  async aggregate(
    body: AggregateSignaturesRequest & { network: NetworkName },
    origin: Origin,
  ): Promise<Answer> {
    const network = this.networks.byName(body.network);
    const { destinationBlockchainId } = body;
    for (let changes = 0; ; changes += 1) {
      const input = await this.messages.ofBody(network, body, origin);
      const { source, signedMessage } = await this.share(network, input);
      if (destinationBlockchainId === undefined) return { source, signedMessage };
      const passage = { signedMessage, destinationBlockchainId };
      const delivery = await this.deliveries.describe(network, input, passage);
      const { isAccepted } = delivery.verification;
      // The epoch may have ended meanwhile. Whatever else it is, would be so again.
      const isForEpoch = input.pChainHeight === '0' || input.pChainHeight === delivery.pChainHeight;
      if (isAccepted || isForEpoch || changes === MAX_CHANGES) return { source, signedMessage, delivery };
    }
  }

  /** The same for the message that a P-chain transaction has caused. */
  async aggregateByTransaction(
    { network: name, txHash }: { network: NetworkName; txHash: string },
    origin: Origin,
  ): Promise<Answer> {
    const network = this.networks.byName(name);
    let input = await this.messages.ofTransaction(network, txHash, origin);
    for (let changes = 0; ; changes += 1) {
      const answer = await this.share(network, input);
      if (isFromStore(answer.source) || changes === MAX_CHANGES) return answer;
      // The receiving chain's epoch may have ended meanwhile. Where that is not known now, it is for the one before.
      const now = await this.messages.ofTransaction(network, txHash, origin).catch(() => input);
      if (now.pChainHeight === input.pChainHeight) return answer;
      input = now;
    }
  }

  private share(network: Network, input: AggregateSignaturesInput): Promise<Answer> {
    const key = aggregationKey(input);
    let answer = this.inFlight.get(key);
    if (answer === undefined) {
      answer = this.metrics
        .during(network.name, () => this.answerForToday(network, input))
        .finally(() => this.inFlight.delete(key));
      this.inFlight.set(key, answer);
    }
    return answer;
  }

  /** An answer that took its time may be for validators of before. */
  private async answerForToday(network: Network, input: AggregateSignaturesInput): Promise<Answer> {
    for (let changes = 0; ; changes += 1) {
      const signingSet = this.trySigningSet(network, input);
      const answer = await this.answer(network, input, signingSet);
      if (isFromStore(answer.source) || changes === MAX_CHANGES) return answer;
      const [before, now] = await Promise.all([signingSet, this.trySigningSet(network, input)]);
      if (now === undefined || now.set.digest === before?.set.digest) return answer;
      if (holdsFor(answer.signedMessage, input, now)) return answer;
      this.logger.log({ requestId: input.requestId }, 'the validators have changed meanwhile');
    }
  }

  /** The caller's mistakes (a chain, a subnet, a height) are answered before anything is recorded. */
  private async answer(
    network: Network,
    input: AggregateSignaturesInput,
    signingSet: Promise<ValidatorSetAtHeight | undefined>,
  ): Promise<Answer> {
    const { answer, hasSignatures } = await this.answers.find(network, input, signingSet);
    return answer ?? this.recordAndCollect(input, { at: await signingSet, isNew: !hasSignatures });
  }

  private async recordAndCollect(
    input: AggregateSignaturesInput,
    given: { at: ValidatorSetAtHeight | undefined; isNew: boolean },
  ): Promise<Answer> {
    const collector = this.ownCollector();
    const saved = this.listener.waitFor(aggregationKey(input));
    try {
      const [runId, outcome] = await Promise.all([
        this.recorder.record(input, { isCollectedHere: collector !== undefined }).catch((error: unknown) => {
          // No run will ask for the outcome, and a failure would be the answer to the next request.
          collector?.release(input);
          throw error;
        }),
        given.at === undefined ? undefined : collector?.join(input, given),
      ]);
      this.logger.log({ requestId: input.requestId, workflowId: runId, status: outcome?.status }, 'recorded');
      if (outcome?.status === 'failed') throw outcome.error;
      return outcome?.status === 'collected'
        ? { source: 'collected', signedMessage: outcome.collected.signedMessage }
        : { source: 'workflow', signedMessage: await this.awaitResult(input, runId, saved.promise) };
    } finally {
      saved.cancel();
    }
  }

  /** The stored result as soon as it is there, which is a little before the end of its workflow; else the workflow's. */
  private async awaitResult(
    input: AggregateSignaturesInput,
    runId: string,
    saved: Promise<'saved'>,
  ): Promise<string> {
    const waiting = new AbortController();
    const finished = this.results.of(runId, input, waiting.signal);
    try {
      const first = await Promise.race([finished, saved]);
      return first === 'saved' ? ((await this.findJustSaved(input)) ?? (await finished)) : first;
    } finally {
      waiting.abort();
      // If the stored result was first, nothing waits for it any more.
      finished.catch(() => undefined);
    }
  }

  private async findJustSaved(input: AggregateSignaturesInput): Promise<string | undefined> {
    try {
      return await this.repository.findLatest(input);
    } catch (error) {
      this.logger.warn(`stored result not read, waiting for the workflow's: ${String(error)}`);
      return undefined;
    }
  }

  /** Of a process whose own worker finds what it has collected, and that is not cut off from its peers. */
  private ownCollector(): SignatureCollector | undefined {
    const hasWorker = this.queues.includes(AGGREGATE_SIGNATURES_QUEUE) && this.temporal.hasWorker;
    return hasWorker && this.peers?.takesWork === true ? this.signatures : undefined;
  }

  /** Undefined while the node cannot be asked: a workflow retries for a while, and reports why it failed. */
  private async trySigningSet(
    network: Network,
    input: AggregateSignaturesInput,
  ): Promise<ValidatorSetAtHeight | undefined> {
    try {
      return await findSigningSet(network, input);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      this.logger.warn(`validators of ${input.network} not known: ${String(error)}`);
      return undefined;
    }
  }
}
