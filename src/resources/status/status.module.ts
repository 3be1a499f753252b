import { Global, Module } from '@nestjs/common';
import { HealthModule } from '../health/health.module.js';
import { FinishedRequestsModule } from '../../platform/http/requests/finished-requests.module.js';
import { IndexOverviewModule } from '../../indexes/overview/index-overview.module.js';
import { AggregationMeter } from './aggregation-meter.js';
import { ProcessBeatModule } from './process-beat.module.js';
import { RunningWork } from './running-work.js';
import { StatusDay } from './status-day.js';
import { StatusDayRepository } from './status-day.repository.js';
import { StatusPageController } from './status-page.controller.js';
import { StatusController } from './status.controller.js';
import { StatusService } from './status.service.js';

/** Global for the process's beat, which has a meter only where there is an API. */
@Global()
@Module({ imports: [FinishedRequestsModule], providers: [AggregationMeter], exports: [AggregationMeter] })
class AggregationMeterModule {}

@Module({
  imports: [HealthModule, IndexOverviewModule, AggregationMeterModule, ProcessBeatModule],
  controllers: [StatusController, StatusPageController],
  providers: [StatusService, StatusDay, StatusDayRepository, RunningWork],
})
export class StatusModule {}
