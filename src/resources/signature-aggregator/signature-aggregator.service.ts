import { Injectable, Logger } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { toHex } from '../../avalanche/ids/hex.js';
import { idToString } from '../../avalanche/ids/id.js';
import { Config, type NetworkName } from '../../platform/config/config.module.js';
import { RpcError } from '../../avalanche/rpc/rpc.error.js';
import type { Network, ValidatorSetAtHeight } from '../../platform/networks/network.js';
import { RecentKeys } from '../../platform/networks/caches.js';
import { Networks } from '../../platform/networks/networks.module.js';
import { AggregationMetrics, type AnswerSource } from './aggregation-metrics.js';
import { AggregationRuns } from './record/aggregation-runs.js';
import { AggregationWorkflowClient } from './record/aggregation-workflow.client.js';
import { MessageResolver, type ResolvedMessage } from './message/message-resolver.js';
import { ResultListener } from './record/result-listener.js';
import { aggregationKey, SignatureRepository, type StoredSignature } from './store/signature.repository.js';
import { findSigningSet } from './message/signing-set.js';
import type { AggregateSignaturesInput } from '../../../workflows/contracts/aggregate-signatures.js';
import { workerTimes } from '../../platform/temporal/worker-times.js';
import { aggregationTimes } from './collect/aggregation-times.js';

export interface AggregateSignaturesParameters {
  network: NetworkName;
  message: Uint8Array;
  justification: Uint8Array;
  /** Cb58. */
  signingSubnetId?: string | undefined;
  quorumPercentage: number;
  quorumPercentageBuffer: number;
  /** 0: the proposed height. */
  pChainHeight: number;
  /** Of the HTTP request. */
  requestId?: string | undefined;
}

interface AggregationRequest {
  readonly input: AggregateSignaturesInput;
  readonly digest: Buffer;
  /** Names the request among those of all networks. */
  readonly key: string;
}

interface Answer {
  readonly source: AnswerSource;
  /** Hex, without 0x. */
  readonly signedMessage: string;
}

/** Whose digests are kept, 100 bytes each. */
const MAX_RECENT_REQUESTS = 10_000;

@Injectable()
export class SignatureAggregatorService {
  private readonly logger = new Logger(SignatureAggregatorService.name);
  /** Equal requests that are being answered by this process, by digest: they share one answer. */
  private readonly inFlight = new Map<string, Promise<string>>();
  private readonly asked = new RecentKeys(MAX_RECENT_REQUESTS);

  constructor(
    private readonly config: Config,
    private readonly networks: Networks,
    private readonly messages: MessageResolver,
    private readonly repository: SignatureRepository,
    private readonly runs: AggregationRuns,
    private readonly workflows: AggregationWorkflowClient,
    private readonly results: ResultListener,
    private readonly metrics: AggregationMetrics,
  ) {}

  /** Hex of the signed message, without 0x. */
  async aggregate(parameters: AggregateSignaturesParameters): Promise<string> {
    const network = this.networks.byName(parameters.network);
    const message = await this.messages.resolve(network, parameters);
    const input = this.toWorkflowInput(parameters, message);
    const digest = Buffer.from(input.requestDigest, 'hex');
    const request: AggregationRequest = { input, digest, key: aggregationKey(input.network, digest) };
    let answer = this.inFlight.get(request.key);
    if (answer === undefined) {
      answer = this.metrics
        .during(network.name, () => this.answer(network, request))
        .then(({ signedMessage }) => signedMessage)
        .finally(() => this.inFlight.delete(request.key));
      this.inFlight.set(request.key, answer);
    }
    return answer;
  }

  /**
   * A stored result is the answer while the set that signed it is unchanged; otherwise it may no longer verify. What the caller
   * got wrong (a chain, a subnet, a height) is answered here, and no workflow hears of it.
   */
  private async answer(network: Network, request: AggregationRequest): Promise<Answer> {
    const { input } = request;
    const [stored, at] = await Promise.all([
      this.findStored(request),
      this.trySigningSet(network, input).then((found) => this.beginEarly(request, found)),
    ]);
    if (isCurrent(stored, at)) {
      this.runs.forget(input);
      return { source: 'stored', signedMessage: stored.signedMessage.toString('hex') };
    }
    if (at === undefined || !this.runs.isPossible) return this.answerOfWorkflow(request, at);
    const outcome = await this.runs.aggregate(input, at);
    switch (outcome.status) {
      case 'collected':
        return { source: 'collected', signedMessage: outcome.collected.signedMessage };
      case 'failed':
        throw outcome.error;
      case 'unfinished':
        return this.answerOfWorkflow({ ...request, input: { ...input, isFastPathOver: true } }, at);
    }
  }

  private async answerOfWorkflow(
    request: AggregationRequest,
    at: ValidatorSetAtHeight | undefined,
  ): Promise<Answer> {
    return { source: 'workflow', signedMessage: await this.awaitWorkflow(request, at) };
  }

  /** A message that was never asked for here is hardly stored: the validators are asked while Postgres is. */
  private beginEarly(
    { input, key }: AggregationRequest,
    at: ValidatorSetAtHeight | undefined,
  ): ValidatorSetAtHeight | undefined {
    if (at !== undefined && this.runs.isPossible && this.asked.add(key)) this.runs.begin(input, at);
    return at;
  }

  /** Undefined while the node cannot be asked: a workflow tries again for a while, and tells what it found. */
  private async trySigningSet(
    network: Network,
    input: AggregateSignaturesInput,
  ): Promise<ValidatorSetAtHeight | undefined> {
    try {
      return await findSigningSet(network, input);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      this.logger.warn(`validators of ${input.network} not known: ${error.message}`);
      return undefined;
    }
  }

  /**
   * The workflow's result, or the stored one as soon as it is there: that is a little earlier than the workflow's end, which
   * Temporal has yet to record. A stored one that cannot be read is no loss: the workflow's follows.
   */
  private async awaitWorkflow(
    request: AggregationRequest,
    at: ValidatorSetAtHeight | undefined,
  ): Promise<string> {
    const saved = this.results.waitFor(request.key);
    const waiting = new AbortController();
    const finished = this.workflows.run(request.input, waiting.signal, async () => {
      const stored = await this.findStored(request);
      return at === undefined || isCurrent(stored, at) ? stored?.signedMessage.toString('hex') : undefined;
    });
    try {
      const first = await Promise.race([finished, saved.promise]);
      return first === 'saved' ? ((await this.findJustSaved(request)) ?? (await finished)) : first;
    } finally {
      saved.cancel();
      waiting.abort();
      // If the stored result was first, nothing waits for it any more.
      finished.catch(() => undefined);
    }
  }

  private findStored({ input, digest }: AggregationRequest): Promise<StoredSignature | undefined> {
    return this.repository.findAggregated(input.network, digest);
  }

  private async findJustSaved(request: AggregationRequest): Promise<string | undefined> {
    try {
      return (await this.findStored(request))?.signedMessage.toString('hex');
    } catch (error) {
      this.logger.warn(`stored result not read, waiting for the workflow's: ${String(error)}`);
      return undefined;
    }
  }

  private toWorkflowInput(
    parameters: AggregateSignaturesParameters,
    message: ResolvedMessage,
  ): AggregateSignaturesInput {
    const { env } = this.config;
    const request = {
      network: parameters.network,
      message: toHex(message.bytes),
      justification: toHex(message.justification),
      sourceBlockchainId: idToString(message.unsignedMessage.sourceChainId),
      ...(parameters.signingSubnetId === undefined ? {} : { signingSubnetId: parameters.signingSubnetId }),
      quorumPercentage: parameters.quorumPercentage,
      quorumPercentageBuffer: parameters.quorumPercentageBuffer,
      pChainHeight: parameters.pChainHeight.toString(),
    };
    return {
      ...request,
      requestDigest: digestOf(request),
      ...(parameters.requestId === undefined ? {} : { requestId: parameters.requestId }),
      timeouts: {
        fastPathMs: aggregationTimes(env.AGGREGATION_TIMEOUT_MS).fastPathMs,
        totalMs: env.AGGREGATION_TIMEOUT_MS,
        heartbeatMs: workerTimes(env).signatures.heartbeatMs,
      },
    };
  }
}

function isCurrent(
  stored: StoredSignature | undefined,
  at: ValidatorSetAtHeight | undefined,
): stored is StoredSignature {
  return stored !== undefined && stored.validatorSetDigest.toString('hex') === at?.set.digest;
}

/** Equal requests have equal digests, however they were written. */
function digestOf(
  request: Omit<AggregateSignaturesInput, 'requestDigest' | 'timeouts' | 'requestId'>,
): string {
  const parts = [
    request.network,
    request.message,
    request.justification,
    request.signingSubnetId ?? '',
    request.quorumPercentage,
    request.quorumPercentageBuffer,
    request.pChainHeight,
  ];
  return createHash('sha256').update(parts.join('\n')).digest('hex');
}
