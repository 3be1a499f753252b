import { Injectable } from '@nestjs/common';
import type { NetworkName } from '../../../platform/config/config.module.js';
import { Networks } from '../../../platform/networks/networks.module.js';
import {
  type AggregateSignaturesRequest,
  DEFAULT_QUORUM_PERCENTAGE,
} from '../dto/aggregate-signatures.request.js';
import { EpochHeights } from '../message/epoch-heights.js';
import { SignatureAggregatorService } from '../signature-aggregator.service.js';
import { TransactionMessages } from '../message/transaction-messages.js';

/** A request by transaction hash does not say how many must sign; these are the defaults of the other endpoint. */
const BY_TRANSACTION = { quorumPercentage: DEFAULT_QUORUM_PERCENTAGE, quorumPercentageBuffer: 0 } as const;

/** From the two ways in which messages and heights are named over HTTP to one aggregation. */
@Injectable()
export class AggregationRequests {
  constructor(
    private readonly networks: Networks,
    private readonly epochs: EpochHeights,
    private readonly transactions: TransactionMessages,
    private readonly signatureAggregator: SignatureAggregatorService,
  ) {}

  /** Hex of the signed message, as all here. */
  async aggregate(
    request: AggregateSignaturesRequest & { network: NetworkName; requestId: string },
  ): Promise<string> {
    const { destinationBlockchainId, ...parameters } = request;
    if (destinationBlockchainId === undefined) return this.signatureAggregator.aggregate(parameters);
    const network = this.networks.byName(request.network);
    const pChainHeight = await this.epochs.get(network, destinationBlockchainId);
    return this.signatureAggregator.aggregate({ ...parameters, pChainHeight });
  }

  async aggregateByTransaction(request: {
    network: NetworkName;
    txHash: string;
    requestId: string;
  }): Promise<string> {
    const network = this.networks.byName(request.network);
    const transaction = await this.transactions.get(network, request.txHash);
    const { message, justification, destinationBlockchainId, signingSubnetId } = transaction;
    // The receiving chain verifies with its epoch.
    const pChainHeight = await this.epochs.find(network, {
      blockchainId: destinationBlockchainId,
      subnetId: signingSubnetId,
    });
    return this.signatureAggregator.aggregate({
      network: request.network,
      message,
      justification,
      signingSubnetId,
      ...BY_TRANSACTION,
      pChainHeight,
      requestId: request.requestId,
    });
  }
}
