import { Module } from '@nestjs/common';
import { MetricsModule } from '../../../platform/metrics/metrics.module.js';
import { TemporalModule } from '../../../platform/temporal/temporal.module.js';
import { SignatureStoreModule } from '../store/signature-store.module.js';
import { RunRecorder } from './run-recorder.js';
import { RunResults } from './run-results.js';

/** Requests into runs, and their results: for the API, and for workers that ask by themselves. */
@Module({
  imports: [MetricsModule, TemporalModule, SignatureStoreModule],
  providers: [RunRecorder, RunResults],
  exports: [RunRecorder, RunResults],
})
export class RunsModule {}
