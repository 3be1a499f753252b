import { Module } from '@nestjs/common';
import { AggregationWorkflowClient } from './aggregation-workflow.client.js';
import { AggregationRuns } from './aggregation-runs.js';
import { MessageResolver } from './message-resolver.js';
import { ResultListener } from './result-listener.js';
import { SignatureAggregatorController } from './signature-aggregator.controller.js';
import { SignatureAggregatorService } from './signature-aggregator.service.js';
import { SignatureStoreModule } from './signature-store.module.js';

@Module({
  imports: [SignatureStoreModule],
  controllers: [SignatureAggregatorController],
  providers: [
    SignatureAggregatorService,
    AggregationRuns,
    AggregationWorkflowClient,
    MessageResolver,
    ResultListener,
  ],
})
export class SignatureAggregatorModule {}
