import { Module } from '@nestjs/common';
import { IndexedNetworksModule } from '../database/indexed-networks.module.js';
import { RefusalsModule } from '../http/refusals.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { AggregationMetrics } from './aggregation-metrics.js';
import { AggregationRequests } from './aggregation-requests.js';
import { AggregationRuns } from './aggregation-runs.js';
import { AggregationWorkflowClient } from './aggregation-workflow.client.js';
import { EpochHeights } from './epoch-heights.js';
import { L1ValidatorRepository } from './l1-validator.repository.js';
import { MessageResolver } from './message-resolver.js';
import { ResultListener } from './result-listener.js';
import { SignatureAggregatorController } from './signature-aggregator.controller.js';
import { SignatureAggregatorService } from './signature-aggregator.service.js';
import { SignatureStoreModule } from './signature-store.module.js';
import { TransactionMessages } from './transaction-messages.js';
import { ValidationPreimages } from './validation-preimages.js';
import { WaitingAggregations } from './waiting-aggregations.js';

@Module({
  imports: [SignatureStoreModule, IndexedNetworksModule, MetricsModule, RefusalsModule],
  controllers: [SignatureAggregatorController],
  providers: [
    SignatureAggregatorService,
    AggregationMetrics,
    AggregationRequests,
    AggregationRuns,
    AggregationWorkflowClient,
    EpochHeights,
    L1ValidatorRepository,
    MessageResolver,
    ResultListener,
    TransactionMessages,
    ValidationPreimages,
    WaitingAggregations,
  ],
})
export class SignatureAggregatorModule {}
