import { Module } from '@nestjs/common';
import { MetricsModule } from '../../platform/metrics/metrics.module.js';
import { TemporalModule } from '../../platform/temporal/temporal.module.js';
import { LifecycleModule } from './lifecycle.js';
import { MonitoringServer } from './monitoring-server.js';
import { ReadinessMetrics } from './readiness-metrics.js';
import { Readiness } from './readiness.js';

/** Monitoring of every process. */
@Module({
  imports: [MetricsModule, TemporalModule, LifecycleModule],
  providers: [Readiness, ReadinessMetrics, MonitoringServer],
  exports: [Readiness, LifecycleModule],
})
export class MonitoringModule {}
