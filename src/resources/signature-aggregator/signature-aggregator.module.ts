import { Module } from '@nestjs/common';
import { IndexedNetworksModule } from '../../indexes/overview/indexed-networks.module.js';
import { RateLimitsModule } from '../../access/limits/rate-limits.module.js';
import { FinishedRequestsModule } from '../../platform/http/requests/finished-requests.module.js';
import { TaskQueueWatch } from '../../platform/temporal/task-queue-watch.js';
import { RefusalsModule } from '../../platform/http/errors/refusals.js';
import { MetricsModule } from '../../platform/metrics/metrics.module.js';
import { AggregationMetrics } from './aggregation-metrics.js';
import { GoAggregator } from './go-dialect/go-aggregator.js';
import { GoRequestMetrics } from './go-dialect/go-request-metrics.js';
import { PricedAggregations } from './priced-aggregations.js';
import { ResultListener } from './record/result-listener.js';
import { RunsModule } from './record/runs.module.js';
import { SignableMessagesModule } from './signable-messages.module.js';
import { SignatureAggregatorController } from './signature-aggregator.controller.js';
import { SignatureAggregatorService } from './signature-aggregator.service.js';
import { SignatureStoreModule } from './store/signature-store.module.js';
import { WaitingAggregations } from './collect/waiting-aggregations.js';

@Module({
  imports: [
    RunsModule,
    SignableMessagesModule,
    SignatureStoreModule,
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
    GoAggregator,
    GoRequestMetrics,
    PricedAggregations,
    TaskQueueWatch,
    ResultListener,
    WaitingAggregations,
  ],
})
export class SignatureAggregatorModule {}
