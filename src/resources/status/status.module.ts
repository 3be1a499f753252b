import { Global, Module } from '@nestjs/common';
import { EvmIndexRepository } from '../../indexes/evm/rows/evm-index.repository.js';
import { HealthModule } from '../health/health.module.js';
import { FinishedRequestsModule } from '../../platform/http/requests/finished-requests.module.js';
import { CoverageRepository } from '../../indexes/engine/coverage/coverage.repository.js';
import { IndexProgressModule } from '../../indexes/engine/progress/index-progress.module.js';
import { AggregationMeter } from './aggregation-meter.js';
import { BlockTimesRepository } from './block-times.repository.js';
import { ProcessBeatModule } from './process-beat.module.js';
import { RunningWork } from './running-work.js';
import { StatusPageController } from './status-page.controller.js';
import { StatusController } from './status.controller.js';
import { StatusService } from './status.service.js';

/** Global for the process's beat, which has a meter only where there is an API. */
@Global()
@Module({ imports: [FinishedRequestsModule], providers: [AggregationMeter], exports: [AggregationMeter] })
class AggregationMeterModule {}

@Module({
  imports: [HealthModule, IndexProgressModule, AggregationMeterModule, ProcessBeatModule],
  controllers: [StatusController, StatusPageController],
  providers: [StatusService, RunningWork, BlockTimesRepository, CoverageRepository, EvmIndexRepository],
})
export class StatusModule {}
