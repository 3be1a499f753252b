import { Module } from '@nestjs/common';
import { IndexedNetworksModule } from '../../indexes/overview/indexed-networks.module.js';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IndexedPChainModule } from '../../indexes/p-chain/indexed-p-chain.module.js';
import { L1ValidatorEntity } from '../../indexes/p-chain/entities/l1-validator.entity.js';
import { RateLimitsModule } from '../../access/limits/rate-limits.module.js';
import { FinishedRequestsModule } from '../../platform/http/requests/finished-requests.module.js';
import { TaskQueueWatch } from '../../platform/temporal/task-queue-watch.js';
import { RefusalsModule } from '../../platform/http/errors/refusals.js';
import { MetricsModule } from '../../platform/metrics/metrics.module.js';
import { AggregationMetrics } from './aggregation-metrics.js';
import { GoAggregator } from './go-dialect/go-aggregator.js';
import { GoRequestMetrics } from './go-dialect/go-request-metrics.js';
import { PricedAggregations } from './priced-aggregations.js';
import { Deliveries } from './delivery/deliveries.js';
import { ReceivingChains } from './delivery/receiving-chains.js';
import { EpochHeights } from './message/epoch-heights.js';
import { L1ValidatorRepository } from './message/l1-validator.repository.js';
import { MessageResolver } from './message/message-resolver.js';
import { RequestedMessages } from './message/requested-messages.js';
import { ResultListener } from './record/result-listener.js';
import { RunRecorder } from './record/run-recorder.js';
import { RunResults } from './record/run-results.js';
import { SignatureAggregatorController } from './signature-aggregator.controller.js';
import { SignatureAggregatorService } from './signature-aggregator.service.js';
import { SignatureStoreModule } from './store/signature-store.module.js';
import { TransactionMessages } from './message/transaction-messages.js';
import { ValidatorsEpochs } from './message/validators-epochs.js';
import { ValidationPreimages } from './message/validation-preimages.js';
import { WaitingAggregations } from './collect/waiting-aggregations.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([L1ValidatorEntity]),
    SignatureStoreModule,
    IndexedPChainModule,
    IndexedNetworksModule,
    MetricsModule,
    RefusalsModule,
    RateLimitsModule,
    FinishedRequestsModule,
  ],
  controllers: [SignatureAggregatorController],
  providers: [
    SignatureAggregatorService,
    AggregationMetrics,
    Deliveries,
    EpochHeights,
    GoAggregator,
    GoRequestMetrics,
    PricedAggregations,
    TaskQueueWatch,
    ValidatorsEpochs,
    L1ValidatorRepository,
    MessageResolver,
    ReceivingChains,
    RequestedMessages,
    ResultListener,
    RunRecorder,
    RunResults,
    TransactionMessages,
    ValidationPreimages,
    WaitingAggregations,
  ],
})
export class SignatureAggregatorModule {}
