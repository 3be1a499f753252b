import { Injectable, Logger } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { toHex } from '../avalanche/ids/hex.js';
import { idToString } from '../avalanche/ids/id.js';
import { Config, type NetworkName } from '../config/config.module.js';
import type { Network } from '../networks/network.js';
import { Networks } from '../networks/networks.module.js';
import { AggregationWorkflowClient } from './aggregation-workflow.client.js';
import { MessageResolver, type ResolvedMessage } from './message-resolver.js';
import { ResultListener } from './result-listener.js';
import { aggregationKey, SignatureRepository } from './signature.repository.js';
import type { AggregateSignaturesInput } from '../../workflows/contracts/aggregate-signatures.js';

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
}

interface AggregationRequest {
  readonly input: AggregateSignaturesInput;
  readonly digest: Buffer;
  /** Names the request among those of all networks. */
  readonly key: string;
}

@Injectable()
export class SignatureAggregatorService {
  private readonly logger = new Logger(SignatureAggregatorService.name);
  /** Equal requests that are being answered by this process, by digest: they share one answer. */
  private readonly inFlight = new Map<string, Promise<string>>();

  constructor(
    private readonly config: Config,
    private readonly networks: Networks,
    private readonly messages: MessageResolver,
    private readonly repository: SignatureRepository,
    private readonly workflows: AggregationWorkflowClient,
    private readonly results: ResultListener,
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
      answer = this.answer(network, request).finally(() => this.inFlight.delete(request.key));
      this.inFlight.set(request.key, answer);
    }
    return answer;
  }

  private async answer(network: Network, request: AggregationRequest): Promise<string> {
    const stored = await this.findStored(network, request);
    return stored ?? this.aggregateAnew(network, request);
  }

  /** A stored result is the answer while the set that signed it is unchanged; otherwise it may no longer verify. */
  private async findStored(network: Network, request: AggregationRequest): Promise<string | undefined> {
    const { input, digest } = request;
    const stored = await this.repository.findAggregated(input.network, digest);
    if (stored === undefined) return undefined;
    const isCurrent =
      stored.validatorSetDigest.toString('hex') === (await this.currentSetDigest(network, input));
    return isCurrent ? stored.signedMessage.toString('hex') : undefined;
  }

  /**
   * The workflow's result, or the stored one as soon as it is there: that is a little earlier than the workflow's end, which
   * Temporal has yet to record. A stored one that cannot be read is no loss: the workflow's follows.
   */
  private async aggregateAnew(network: Network, request: AggregationRequest): Promise<string> {
    const { input, key } = request;
    const saved = this.results.waitFor(key);
    const finished = this.workflows.run(input, () => this.currentSetDigest(network, input));
    try {
      const first = await Promise.race([finished, saved.promise]);
      const stored = first === 'saved' ? await this.findStoredOrNothing(network, request) : undefined;
      return stored ?? (await finished).signedMessage;
    } finally {
      saved.cancel();
      // Nobody waits for it any more when the stored result was first.
      finished.catch(() => undefined);
    }
  }

  private async findStoredOrNothing(
    network: Network,
    request: AggregationRequest,
  ): Promise<string | undefined> {
    try {
      return await this.findStored(network, request);
    } catch (error) {
      this.logger.warn(`stored result not read, waiting for the workflow's: ${String(error)}`);
      return undefined;
    }
  }

  private async currentSetDigest(network: Network, input: AggregateSignaturesInput): Promise<string> {
    const subnetId = input.signingSubnetId ?? (await network.getSubnetOf(input.sourceBlockchainId));
    const { set } = await network.getValidatorSet({ subnetId, pChainHeight: BigInt(input.pChainHeight) });
    return set.digest;
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
      timeouts: {
        fastPathMs: env.AGGREGATION_FAST_PATH_MS,
        totalMs: env.AGGREGATION_TIMEOUT_MS,
        heartbeatMs: env.AGGREGATION_HEARTBEAT_TIMEOUT_MS,
      },
    };
  }
}

/** Equal requests have equal digests, however they were written. */
function digestOf(request: Omit<AggregateSignaturesInput, 'requestDigest' | 'timeouts'>): string {
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
