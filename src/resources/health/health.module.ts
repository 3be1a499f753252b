import { Module } from '@nestjs/common';
import { IndexOverviewModule } from '../../indexes/overview/index-overview.module.js';
import { MetricsModule } from '../../platform/metrics/metrics.module.js';
import { TaskQueueMetrics } from '../../platform/temporal/task-queue-metrics.js';
import { TaskQueueWatch } from '../../platform/temporal/task-queue-watch.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';
import { MonitoringModule } from './monitoring.module.js';

@Module({
  imports: [IndexOverviewModule, MetricsModule, MonitoringModule],
  controllers: [HealthController],
  providers: [HealthService, TaskQueueWatch, TaskQueueMetrics],
  exports: [HealthService],
})
export class HealthModule {}
