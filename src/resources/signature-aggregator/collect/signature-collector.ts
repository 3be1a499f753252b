import { Injectable, Logger } from '@nestjs/common';
import {
  type AggregateSignaturesInput,
  type CollectedMessage as CollectedMessagePayload,
  isFinalAggregationFailure,
  type SignedMessage,
} from '../../../../workflows/contracts/aggregate-signatures.js';
import { isAvalancheError } from '../../../avalanche/avalanche.error.js';
import { BoundedMap } from '../../../avalanche/bounded-map.js';
import { bls } from '../../../avalanche/bls/bls.js';
import { fromHex } from '../../../avalanche/ids/hex.js';
import { idFromString } from '../../../avalanche/ids/id.js';
import { AggregationError } from '../../../avalanche/signature-aggregation/aggregation.error.js';
import { AnswerTimes } from '../../../avalanche/signature-aggregation/answer-times.js';
import type { ClaimedSignature } from '../../../avalanche/signature-aggregation/bisect.js';
import type { CollectionLimits } from '../../../avalanche/signature-aggregation/collection-request.js';
import { DistrustedSigners } from '../../../avalanche/signature-aggregation/distrusted-signers.js';
import { collectSignatures } from '../../../avalanche/signature-aggregation/signature-aggregator.js';
import { unsignedMessageId } from '../../../avalanche/warp/unsigned-message.js';
import { Config } from '../../../platform/config/config.module.js';
import type { ValidatorSetAtHeight } from '../../../platform/networks/network.js';
import { Networks } from '../../../platform/networks/networks.module.js';
import { CollectionMetrics } from './collection-metrics.js';
import { inSpan, type SpanAttributes } from '../../../platform/tracing/tracing.js';
import { isUnknownMessage } from '../observe/observed-collection.js';
import { SignerObserver, signersOf } from '../observe/signer-observer.js';
import { PeerConnections } from '../peers/peer-connections.js';
import { KeptSignatures } from '../store/kept-signatures.js';
import { type ProvedSignatures, SignatureKeeper } from '../store/signature-keeper.js';
import { aggregationKey } from '../store/signature.repository.js';
import { toPayload } from '../message/signed-message.js';
import { describeSet, findSigningSet } from '../message/signing-set.js';
import { aggregationTimes } from './aggregation-times.js';
import { CallerTrust } from './caller-trust.js';
import { FairRequests } from './fair-requests.js';
import { Turns } from './turns.js';

const UNFINISHED: Promise<CollectionOutcome> = Promise.resolve({ status: 'unfinished' });

export interface CollectionAttempt {
  /** Time for a first, short attempt; the time of the configuration when left out. */
  budgetMs?: number;
  /** Whether nothing is stored of the message. */
  isNew?: boolean;
  signal?: AbortSignal;
}

/** The end of a first, short attempt. */
export type CollectionOutcome =
  | ({ status: 'collected' } & SignedMessage)
  | { status: 'unfinished' }
  | { status: 'failed'; error: Error & { code: string }; validatorSetDigest: string | undefined };

/** First attempts at a time, for each network: beyond that, and beyond a caller's part, requests go the slow way. */
const MAX_FIRST_ATTEMPTS = 256;
const MAX_FIRST_ATTEMPTS_OF_CALLER = 64;
/** Whose times are remembered. */
const MAX_SUBNETS = 1_000;

/** An outcome that no run of this process has asked for by then belongs to a run of another process. */
const KEEP_MS = 30_000;

/** Asks the validators of a network over this process's connections. */
@Injectable()
export class SignatureCollector {
  private readonly logger = new Logger(SignatureCollector.name);
  /** First attempts that are under way, or whose outcome is not stored yet; equal requests share one. */
  private readonly firstAttempts = new Map<string, Promise<CollectionOutcome>>();
  private readonly turns = new Turns(MAX_FIRST_ATTEMPTS, MAX_FIRST_ATTEMPTS_OF_CALLER);
  /** By network. */
  private readonly requests = new Map<string, FairRequests>();
  private readonly distrusted = new DistrustedSigners();
  /** By network and subnet: an L1 whose validators are slow delays nothing that others sign. */
  private readonly answerTimes = new BoundedMap<string, AnswerTimes>(MAX_SUBNETS);

  constructor(
    private readonly config: Config,
    private readonly networks: Networks,
    private readonly peers: PeerConnections,
    private readonly kept: KeptSignatures,
    private readonly keeper: SignatureKeeper,
    private readonly metrics: CollectionMetrics,
    private readonly trust: CallerTrust,
    private readonly observer: SignerObserver,
  ) {}

  /** How many validators are not asked for a while. */
  get distrustedSigners(): number {
    return this.distrusted.count;
  }

  /** Source chain → signing subnet → canonical validator set at the height. */
  async resolve(input: AggregateSignaturesInput): Promise<ValidatorSetAtHeight> {
    return findSigningSet(this.networks.byName(input.network), input);
  }

  /** The outcome of the first attempt that was begun in this process and has not been released. */
  find(input: AggregateSignaturesInput): Promise<CollectionOutcome> | undefined {
    return this.firstAttempts.get(aggregationKey(input));
  }

  /** The same if it holds for the set, or that of an attempt which begins now. Never rejects. */
  async join(
    input: AggregateSignaturesInput,
    given: { at?: ValidatorSetAtHeight | undefined; isNew?: boolean } = {},
  ): Promise<CollectionOutcome> {
    for (let known = this.find(input); known !== undefined; known = this.find(input)) {
      const outcome = await known;
      if (isForSet(outcome, given.at)) return outcome;
      this.release(input, known);
    }
    return this.begin(input, given);
  }

  private begin(
    input: AggregateSignaturesInput,
    given: { at?: ValidatorSetAtHeight | undefined; isNew?: boolean },
  ): Promise<CollectionOutcome> {
    const attempt = () => this.attempt(input, given);
    const outcome = this.turns.during(input.network, input.caller, attempt) ?? UNFINISHED;
    this.firstAttempts.set(aggregationKey(input), outcome);
    setTimeout(() => this.release(input, outcome), KEEP_MS).unref();
    return outcome;
  }

  /** Once the outcome is stored, or handed over: the next equal request begins a new attempt. */
  release(input: AggregateSignaturesInput, outcome = this.find(input)): void {
    if (this.find(input) === outcome) this.firstAttempts.delete(aggregationKey(input));
  }

  private async attempt(
    input: AggregateSignaturesInput,
    { at: given, isNew = false }: { at?: ValidatorSetAtHeight | undefined; isNew?: boolean },
  ): Promise<CollectionOutcome> {
    let at = given;
    try {
      at ??= await this.resolve(input);
      const collected = await this.collect(input, at, { budgetMs: input.timeouts.firstAttemptMs, isNew });
      return { status: 'collected', validatorSet: describeSet(at), collected };
    } catch (error) {
      if (isFinalFailure(error)) return { status: 'failed', error, validatorSetDigest: at?.set.digest };
      this.logger.debug(`first attempt at ${input.requestDigest}: ${String(error)}`);
      return { status: 'unfinished' };
    }
  }

  /**
   * The signed message, once quorum plus buffer has signed. A short attempt leaves the bare quorum to the next one, which
   * resumes from the signatures that it has stored.
   */
  collect(
    input: AggregateSignaturesInput,
    at: ValidatorSetAtHeight,
    attempt: CollectionAttempt,
  ): Promise<CollectedMessagePayload> {
    const isShort = attempt.budgetMs !== undefined;
    const work = () => inSpan('collect signatures', describe(input, at), () => this.ask(input, at, attempt));
    return this.metrics.during({ network: input.network, isShort }, attempt.signal, work);
  }

  private async ask(
    input: AggregateSignaturesInput,
    at: ValidatorSetAtHeight,
    { budgetMs, signal, isNew = false }: CollectionAttempt,
  ): Promise<CollectedMessagePayload> {
    const network = this.networks.byName(input.network);
    const message = fromHex(input.message);
    const messageId = unsignedMessageId(message);
    const isShort = budgetMs !== undefined;
    const [peers, session, excluded] = await Promise.all([
      this.peers.of(network, at),
      this.kept.open(messageId, at.set, { isNew }),
      network.getExcludedSigners(at),
    ]);
    const observed = this.observer.begin(network, input.sourceBlockchainId, at);
    observed.signed(session.known.keys());
    const onProved = (proved: ProvedSignatures): void => {
      observed.proved(proved);
      for (const { nodeId, publicKeyBytes } of signersOf(at.set, proved.invalid)) {
        this.distrusted.add(nodeId, publicKeyBytes);
      }
    };
    const keep = (claims: readonly ClaimedSignature[]): void =>
      this.keeper.keep({ message, caller: input.caller, claims, onProved });
    this.metrics.countKnown(session.known.size, at.set.validators.length);
    try {
      const collected = await collectSignatures(this.requestsTo(network.name).of(input.caller, peers), bls, {
        message,
        justification: fromHex(input.justification),
        sourceChainId: idFromString(input.sourceBlockchainId),
        validatorSet: at.set,
        quorumPercentage: input.quorumPercentage,
        quorumPercentageBuffer: input.quorumPercentageBuffer,
        excluded,
        known: session.known,
        distrusted: this.distrusted,
        answerTimes: this.answerTimes.use(`${network.name} ${at.subnetId}`, () => new AnswerTimes()),
        limits: this.limits(network.name, budgetMs),
        sentinelsFirst: !this.trust.trusts(input.caller),
        acceptQuorumAtTimeout: !isShort,
        ...(signal === undefined ? {} : { signal }),
        onVerified: (batch) => {
          observed.signed(batch.map(({ index }) => index));
          session.add(batch);
        },
        onLate: keep,
        onAnswer: (answer) => {
          this.metrics.countAnswer(network.name, answer.kind);
          observed.note(answer);
        },
      });
      observed.signed(collected.signers);
      keep(collected.unproven);
      this.trust.noteSigned(input.caller);
      return toPayload(collected, at.set);
    } catch (error) {
      if (isUnknown(error)) this.trust.noteUnknown(input.caller);
      // Before the attempt ends, so that the next one finds everything.
      await session.flush();
      throw error;
    } finally {
      observed.end();
    }
  }

  private requestsTo(network: string): FairRequests {
    let requests = this.requests.get(network);
    if (requests === undefined) this.requests.set(network, (requests = new FairRequests()));
    return requests;
  }

  private limits(network: string, budgetMs: number | undefined): CollectionLimits {
    const { AGGREGATION_TIMEOUT_MS } = this.config.env;
    const timeoutMs = budgetMs ?? AGGREGATION_TIMEOUT_MS;
    const times = aggregationTimes(AGGREGATION_TIMEOUT_MS);
    // Soon enough for another process to be tried while the caller waits.
    const connectTimeoutMs = this.peers.isCutOff(network)
      ? times.connectTimeoutMs / 3
      : times.connectTimeoutMs;
    return {
      timeoutMs,
      connectTimeoutMs: Math.min(connectTimeoutMs, timeoutMs),
      bufferTimeoutMs: Math.min(times.bufferTimeoutMs, timeoutMs),
      requestTimeoutMs: times.requestTimeoutMs,
      refusalRetryMs: times.refusalRetryMs,
      executionRetryMs: times.executionRetryMs,
    };
  }
}

function describe(
  { network, quorumPercentage }: AggregateSignaturesInput,
  { subnetId, set }: ValidatorSetAtHeight,
): SpanAttributes {
  return { network, subnetId, quorumPercentage, validators: set.validators.length };
}

/** Whether hardly anybody has signed. */
function isUnknown(error: unknown): boolean {
  if (!(error instanceof AggregationError) || error.code !== 'INSUFFICIENT_SIGNATURES') return false;
  return isUnknownMessage(error.facts);
}

/** An aggregation that more time may finish has not failed, whatever its code. */
function isFinalFailure(error: unknown): error is Error & { code: string } {
  if (!isAvalancheError(error) || !isFinalAggregationFailure(error.code)) return false;
  return !(error instanceof AggregationError) || error.isFinal;
}

/** Whether an outcome is not that of another set. */
function isForSet(outcome: CollectionOutcome, at: ValidatorSetAtHeight | undefined): boolean {
  if (outcome.status === 'unfinished' || at === undefined) return true;
  const { validatorSetDigest } = outcome.status === 'collected' ? outcome.validatorSet : outcome;
  return validatorSetDigest === at.set.digest;
}
