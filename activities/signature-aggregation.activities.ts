import { Injectable } from '@nestjs/common';
import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { bls } from '../src/avalanche/bls/bls.js';
import { fromHex, toHex } from '../src/avalanche/ids/hex.js';
import { idFromString } from '../src/avalanche/ids/id.js';
import { AggregationError, percentageOf } from '../src/avalanche/signature-aggregation/aggregation.error.js';
import type { SignedMessage } from '../src/avalanche/signature-aggregation/assemble-signed-message.js';
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
import { SignatureCache, type SignatureSession } from '../src/signature-aggregator/signature-cache.js';
import { SignatureRepository } from '../src/signature-aggregator/signature.repository.js';
import type { SignatureAggregationActivities as Contract } from '../workflows/contracts/activities.js';
import type {
  CollectedMessage as CollectedMessagePayload,
  CollectSignaturesInput,
  CollectSignaturesResult,
  ResolvedValidatorSet,
  SaveAggregatedSignatureInput,
} from '../workflows/contracts/aggregate-signatures.js';
import type { RemoveOldSignaturesInput } from '../workflows/contracts/remove-old-signatures.js';
import { asApplicationFailure } from './application-failure.js';

@Injectable()
export class SignatureAggregationActivities implements Contract {
  constructor(
    private readonly config: Config,
    private readonly networks: Networks,
    private readonly peers: PeerConnections,
    private readonly cache: SignatureCache,
    private readonly repository: SignatureRepository,
  ) {}

  /** Source chain → signing subnet → canonical validator set at the height. */
  @asApplicationFailure
  async resolveValidatorSet(input: {
    network: string;
    sourceBlockchainId: string;
    signingSubnetId?: string;
    pChainHeight: string;
  }): Promise<ResolvedValidatorSet> {
    const network = this.networks.byName(input.network);
    // Asked even when the signing subnet is given: a chain that nobody knows is a client's error, not silence for 30 s.
    const sourceSubnetId = await network.getSubnetOf(input.sourceBlockchainId);
    const at = await network.getValidatorSet({
      subnetId: input.signingSubnetId ?? sourceSubnetId,
      pChainHeight: BigInt(input.pChainHeight),
    });
    return {
      signingSubnetId: at.subnetId,
      pChainHeight: at.pChainHeight.toString(),
      validatorSetDigest: at.set.digest,
      validatorCount: at.set.validators.length,
      totalWeight: at.set.totalWeight.toString(),
    };
  }

  /**
   * Asks the validators over p2p until quorum plus buffer, resuming from signatures that any worker gathered before.
   * With `budgetMs` it is the fast path: what did not come in that time is left to the next attempt.
   */
  @asApplicationFailure
  async collectSignatures(input: CollectSignaturesInput): Promise<CollectSignaturesResult> {
    const network = this.networks.byName(input.network);
    const at = await network.getValidatorSet({
      subnetId: input.signingSubnetId,
      pChainHeight: BigInt(input.pChainHeight),
    });
    const session = await this.cache.open(unsignedMessageId(fromHex(input.message)), at.set);
    const stopHeartbeat = this.startHeartbeat();
    try {
      return { outcome: 'signed', ...toCollectedMessage(await this.collect(input, at, session), at.set) };
    } catch (error) {
      // Before the activity ends, so that the next attempt finds everything.
      await session.flush();
      const mayContinue = error instanceof AggregationError && !error.isFinal && input.budgetMs !== undefined;
      if (mayContinue) return { outcome: 'incomplete' };
      throw error;
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

  private async collect(
    input: CollectSignaturesInput,
    at: ValidatorSetAtHeight,
    session: SignatureSession,
  ): Promise<CollectedMessage> {
    const network = this.networks.byName(input.network);
    const peers = await this.peers.of(network, at);
    const message = fromHex(input.message);
    const collected = await collectSignatures(peers, bls, {
      message,
      justification: fromHex(input.justification),
      sourceChainId: idFromString(input.sourceBlockchainId),
      validatorSet: at.set,
      quorumPercentage: input.quorumPercentage,
      quorumPercentageBuffer: input.quorumPercentageBuffer,
      excluded: await network.getExcludedSigners(at),
      known: session.known,
      limits: this.limits(input.budgetMs),
      acceptQuorumAtTimeout: input.budgetMs === undefined,
      signal: cancellationSignal(),
      onVerified: (batch) => session.add(batch),
    });
    // Not awaited: the answer does not depend on it.
    void session.prove(message, collected.unproven, ({ index }) => {
      for (const nodeId of at.set.validators[index]?.nodeIds ?? []) peers.bench(nodeId, 'wrong signature');
    });
    return collected;
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
    };
  }

  /** Heartbeats only prove life (the SDK throttles them); what was gathered is in Postgres. Local activities have none. */
  private startHeartbeat(): () => void {
    const { heartbeatTimeoutMs } = activityInfo();
    if (heartbeatTimeoutMs === undefined || heartbeatTimeoutMs === 0) return () => undefined;
    const timer = setInterval(() => heartbeat(), heartbeatTimeoutMs / 4);
    return () => clearInterval(timer);
  }
}

function toCollectedMessage(
  { bytes, signers, signedWeight }: SignedMessage,
  { totalWeight }: CanonicalValidatorSet,
): CollectedMessagePayload {
  return {
    signedMessage: toHex(bytes),
    signers: signers.length,
    signedWeight: signedWeight.toString(),
    signedPercentage: percentageOf(signedWeight, totalWeight),
  };
}
