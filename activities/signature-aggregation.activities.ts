import { Injectable, Logger } from '@nestjs/common';
import { cancellationSignal } from '@temporalio/activity';
import { bls } from '../src/avalanche/bls/bls.js';
import { fromHex, toHex } from '../src/avalanche/ids/hex.js';
import { idFromString } from '../src/avalanche/ids/id.js';
import { AggregationError, percentageOf } from '../src/avalanche/signature-aggregation/aggregation.error.js';
import {
  type CollectedMessage,
  type CollectionLimits,
  collectSignatures,
} from '../src/avalanche/signature-aggregation/signature-aggregator.js';
import type { CanonicalValidatorSet } from '../src/avalanche/warp/canonical-validator-set.js';
import { unsignedMessageId } from '../src/avalanche/warp/unsigned-message.js';
import { Config } from '../src/config/config.module.js';
import type { ValidatorSetAtHeight } from '../src/networks/network.js';
import { Networks } from '../src/networks/networks.module.js';
import { PeerConnections } from '../src/signature-aggregator/peer-connections.js';
import { SignatureCache } from '../src/signature-aggregator/signature-cache.js';
import { SignatureRepository } from '../src/signature-aggregator/signature.repository.js';
import type { SignatureAggregationActivities as Contract } from '../workflows/contracts/activities.js';
import type {
  AggregateSignaturesInput,
  CollectedMessage as CollectedMessagePayload,
  CollectSignaturesInput,
  QuickAggregation,
  ResolvedValidatorSet,
  SaveAggregatedSignatureInput,
} from '../workflows/contracts/aggregate-signatures.js';
import type { RemoveOldSignaturesInput } from '../workflows/contracts/remove-old-signatures.js';
import { asApplicationFailure } from './application-failure.js';
import { startHeartbeat } from './start-heartbeat.js';

@Injectable()
export class SignatureAggregationActivities implements Contract {
  private readonly logger = new Logger(SignatureAggregationActivities.name);

  constructor(
    private readonly config: Config,
    private readonly networks: Networks,
    private readonly peers: PeerConnections,
    private readonly cache: SignatureCache,
    private readonly repository: SignatureRepository,
  ) {}

  /**
   * The whole aggregation within the fast path's budget: set, signatures, result. What did not come in that time is left to the
   * regular activities.
   */
  @asApplicationFailure
  async aggregateQuickly(input: AggregateSignaturesInput): Promise<QuickAggregation> {
    const at = await this.resolve(input);
    const validatorSet = describe(at);
    try {
      const collected = await this.collect(input, at, input.timeouts.fastPathMs);
      const isSaved = await this.trySave({ ...input, validatorSet, collected });
      return { validatorSet, collected, isSaved };
    } catch (error) {
      if (error instanceof AggregationError && !error.isFinal) return { validatorSet, isSaved: false };
      throw error;
    }
  }

  /** Source chain → signing subnet → canonical validator set at the height. */
  @asApplicationFailure
  async resolveValidatorSet(input: AggregateSignaturesInput): Promise<ResolvedValidatorSet> {
    return describe(await this.resolve(input));
  }

  /** Asks the validators over p2p until quorum plus buffer, resuming from signatures that any worker gathered before. */
  @asApplicationFailure
  async collectSignatures(input: CollectSignaturesInput): Promise<CollectedMessagePayload> {
    const at = await this.resolve(input);
    // Heartbeats only prove life (the SDK throttles them); what was gathered is in Postgres.
    const stopHeartbeat = startHeartbeat();
    try {
      return await this.collect(input, at, undefined);
    } finally {
      stopHeartbeat();
    }
  }

  @asApplicationFailure
  async saveAggregatedSignature(input: SaveAggregatedSignatureInput): Promise<void> {
    const { network, requestDigest, sourceBlockchainId, validatorSet, collected } = input;
    await this.repository.saveAggregated({
      network,
      requestDigest: Buffer.from(requestDigest, 'hex'),
      validatorSetDigest: Buffer.from(validatorSet.validatorSetDigest, 'hex'),
      signingSubnetId: validatorSet.signingSubnetId,
      sourceBlockchainId,
      pChainHeight: validatorSet.pChainHeight,
      signedWeight: collected.signedWeight,
      totalWeight: validatorSet.totalWeight,
      signedMessage: Buffer.from(collected.signedMessage, 'hex'),
    });
  }

  async removeOldSignatures({ olderThanDays }: RemoveOldSignaturesInput): Promise<void> {
    await this.repository.removeOlderThan({ days: olderThanDays });
  }

  private async resolve(input: AggregateSignaturesInput): Promise<ValidatorSetAtHeight> {
    const network = this.networks.byName(input.network);
    // Asked even when the signing subnet is given: a chain that nobody knows is a client's error, not silence for 30 s.
    const sourceSubnetId = await network.getSubnetOf(input.sourceBlockchainId);
    return network.getValidatorSet({
      subnetId: input.signingSubnetId ?? sourceSubnetId,
      pChainHeight: BigInt(input.pChainHeight),
    });
  }

  private async collect(
    input: AggregateSignaturesInput,
    at: ValidatorSetAtHeight,
    budgetMs: number | undefined,
  ): Promise<CollectedMessagePayload> {
    const network = this.networks.byName(input.network);
    const message = fromHex(input.message);
    const [peers, session, excluded] = await Promise.all([
      this.peers.of(network, at),
      this.cache.open(unsignedMessageId(message), at.set),
      network.getExcludedSigners(at),
    ]);
    try {
      const collected = await collectSignatures(peers, bls, {
        message,
        justification: fromHex(input.justification),
        sourceChainId: idFromString(input.sourceBlockchainId),
        validatorSet: at.set,
        quorumPercentage: input.quorumPercentage,
        quorumPercentageBuffer: input.quorumPercentageBuffer,
        excluded,
        known: session.known,
        limits: this.limits(budgetMs),
        acceptQuorumAtTimeout: budgetMs === undefined,
        signal: cancellationSignal(),
        onVerified: (batch) => session.add(batch),
      });
      // Not awaited: the answer does not depend on it.
      void session.prove(message, collected.unproven, ({ index }) => {
        for (const nodeId of at.set.validators[index]?.nodeIds ?? []) peers.bench(nodeId, 'wrong signature');
      });
      return toPayload(collected, at.set);
    } catch (error) {
      // Before the activity ends, so that the next attempt finds everything.
      await session.flush();
      throw error;
    }
  }

  /** A result that cannot be stored now is no reason to lose it: the workflow stores it later. */
  private async trySave(input: SaveAggregatedSignatureInput): Promise<boolean> {
    try {
      await this.saveAggregatedSignature(input);
      return true;
    } catch (error) {
      this.logger.warn(`result of ${input.requestDigest} not stored yet: ${String(error)}`);
      return false;
    }
  }

  private limits(budgetMs: number | undefined): CollectionLimits {
    const { env } = this.config;
    const timeoutMs = budgetMs ?? env.AGGREGATION_TIMEOUT_MS;
    return {
      timeoutMs,
      connectTimeoutMs: Math.min(env.AGGREGATION_CONNECT_TIMEOUT_MS, timeoutMs),
      bufferTimeoutMs: Math.min(env.AGGREGATION_BUFFER_TIMEOUT_MS, timeoutMs),
      requestTimeoutMs: env.AGGREGATION_REQUEST_TIMEOUT_MS,
      refusalRetryMs: env.AGGREGATION_REFUSAL_RETRY_MS,
      executionRetryMs: env.AGGREGATION_EXECUTION_RETRY_MS,
    };
  }
}

function describe({ subnetId, pChainHeight, set }: ValidatorSetAtHeight): ResolvedValidatorSet {
  return {
    signingSubnetId: subnetId,
    pChainHeight: pChainHeight.toString(),
    validatorSetDigest: set.digest,
    validatorCount: set.validators.length,
    totalWeight: set.totalWeight.toString(),
  };
}

function toPayload(
  { bytes, signers, signedWeight }: CollectedMessage,
  { totalWeight }: CanonicalValidatorSet,
): CollectedMessagePayload {
  return {
    signedMessage: toHex(bytes),
    signers: signers.length,
    signedWeight: signedWeight.toString(),
    signedPercentage: percentageOf(signedWeight, totalWeight),
  };
}
