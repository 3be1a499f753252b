import { Module } from '@nestjs/common';
import { MetricsModule } from '../../metrics/metrics.module.js';
import { AccessLog } from './access-log.js';
import { FinishedRequestsModule } from './finished-requests.module.js';
import { HttpMetrics } from './http-metrics.js';

/** Records of each request that is over: in the log and for Prometheus. */
@Module({ imports: [FinishedRequestsModule, MetricsModule], providers: [AccessLog, HttpMetrics] })
export class RequestRecordsModule {}
