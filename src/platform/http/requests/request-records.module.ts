import { Module } from '@nestjs/common';
import { MetricsModule } from '../../metrics/metrics.module.js';
import { AccessLog } from './access-log.js';
import { FinishedRequestsModule } from './finished-requests.module.js';
import { HttpMetrics } from './http-metrics.js';

/** What is told of each request that is over: to the log, and to Prometheus. */
@Module({ imports: [FinishedRequestsModule, MetricsModule], providers: [AccessLog, HttpMetrics] })
export class RequestRecordsModule {}
