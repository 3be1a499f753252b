import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import type { AggregateSignaturesInput } from '../../../../workflows/contracts/aggregate-signatures.js';
import type { Caller } from '../../../access/keys/caller.js';
import { toHex } from '../../../avalanche/ids/hex.js';
import { idToString } from '../../../avalanche/ids/id.js';
import type { IdCb58 } from '../../../avalanche/ids/text.js';
import { Config } from '../../../platform/config/config.module.js';
import type { Network } from '../../../platform/networks/network.js';
import { workerTimes } from '../../../platform/temporal/worker-times.js';
import { aggregationTimes } from '../collect/aggregation-times.js';
import {
  type AggregateSignaturesRequest,
  DEFAULT_QUORUM_PERCENTAGE,
} from '../dto/aggregate-signatures.request.js';
import { ReceivingChains } from '../delivery/receiving-chains.js';
import { EpochHeights } from './epoch-heights.js';
import { MessageResolver } from './message-resolver.js';
import { TransactionMessages } from './transaction-messages.js';

/** Who has asked, and by which request. */
export interface Origin {
  readonly requestId: string;
  /** An organisation or address. */
  readonly owner: string;
}

export interface MessageToDeliver {
  /** Packed unsigned message. */
  readonly message: Uint8Array;
  readonly destinationBlockchainId: IdCb58;
}

export function originOf(requestId: string, caller: Caller | undefined): Origin {
  return { requestId, owner: caller?.owner ?? '' };
}

/** From the two ways in which messages and heights are named over HTTP to one kind of aggregation. Throws the caller's 400 or 404. */
@Injectable()
export class RequestedMessages {
  constructor(
    private readonly config: Config,
    private readonly messages: MessageResolver,
    private readonly epochs: EpochHeights,
    private readonly chains: ReceivingChains,
    private readonly transactions: TransactionMessages,
  ) {}

  /** With a destination, the signers, the height and the quorum that it will verify the message with, as far as the body names none. */
  async ofBody(
    network: Network,
    body: AggregateSignaturesRequest,
    origin: Origin,
  ): Promise<AggregateSignaturesInput> {
    const { destinationBlockchainId } = body;
    const input = await this.toInput(network, body, origin);
    if (destinationBlockchainId === undefined) return input;
    const epoch = await this.epochs.get(network, destinationBlockchainId);
    const passage = { sourceBlockchainId: input.sourceBlockchainId, destinationBlockchainId };
    const signingSubnetId = body.signingSubnetId ?? (await this.chains.signingSubnet(network, passage));
    await this.epochs.assertReached(network, { subnetId: signingSubnetId, pChainHeight: epoch.pChainHeight });
    const quorumPercentage =
      body.quorumPercentage ?? (await this.chains.quorum(network, destinationBlockchainId));
    return withDigest(
      Object.assign(input, {
        signingSubnetId,
        pChainHeight: epoch.pChainHeight.toString(),
        quorumPercentage,
        quorumPercentageBuffer: Math.min(input.quorumPercentageBuffer, 100 - quorumPercentage),
      }),
    );
  }

  /** As a body with this destination and nothing else is understood. */
  forDestination(
    network: Network,
    { message, destinationBlockchainId }: MessageToDeliver,
    origin: Origin,
  ): Promise<AggregateSignaturesInput> {
    const body = {
      message,
      justification: new Uint8Array(0),
      quorumPercentageBuffer: 0,
      pChainHeight: 0,
      destinationBlockchainId,
    };
    return this.ofBody(network, body, origin);
  }

  async ofTransaction(network: Network, txHash: string, origin: Origin): Promise<AggregateSignaturesInput> {
    const { destinationBlockchainId: blockchainId, ...message } = await this.transactions.get(
      network,
      txHash,
    );
    // The receiving chain verifies with its epoch.
    const pChainHeight = await this.epochs.find(network, { blockchainId, subnetId: message.signingSubnetId });
    const quorumPercentage = await this.chains.quorum(network, blockchainId);
    const given = { ...message, quorumPercentage, quorumPercentageBuffer: 0, pChainHeight };
    return this.toInput(network, given, origin);
  }

  private async toInput(
    network: Network,
    given: Omit<AggregateSignaturesRequest, 'signingSubnetId' | 'destinationBlockchainId'> & {
      signingSubnetId?: string | undefined;
    },
    { requestId, owner }: Origin,
  ): Promise<AggregateSignaturesInput> {
    const { bytes, unsignedMessage, justification } = await this.messages.resolve(network, given);
    const { signingSubnetId, quorumPercentage = DEFAULT_QUORUM_PERCENTAGE, quorumPercentageBuffer } = given;
    const request = {
      network: network.name,
      message: toHex(bytes),
      justification: toHex(justification),
      sourceBlockchainId: idToString(unsignedMessage.sourceChainId),
      ...(signingSubnetId === undefined ? {} : { signingSubnetId }),
      quorumPercentage,
      quorumPercentageBuffer,
      pChainHeight: given.pChainHeight.toString(),
    };
    const { env } = this.config;
    return withDigest({
      ...request,
      requestDigest: '',
      requestId,
      caller: createHash('sha256').update(owner).digest('hex').slice(0, 16),
      timeouts: {
        firstAttemptMs: aggregationTimes(env.AGGREGATION_TIMEOUT_MS).firstAttemptMs,
        totalMs: env.AGGREGATION_TIMEOUT_MS,
        heartbeatMs: workerTimes(env).signatures.heartbeatMs,
      },
    });
  }
}

/** Equal requests have equal digests, however they were written. */
function withDigest(request: AggregateSignaturesInput): AggregateSignaturesInput {
  const parts = [
    request.network,
    request.message,
    request.justification,
    request.signingSubnetId ?? '',
    request.quorumPercentage,
    request.quorumPercentageBuffer,
    request.pChainHeight,
  ];
  const requestDigest = createHash('sha256').update(parts.join('\n')).digest('hex');
  return Object.assign(request, { requestDigest });
}
