import { Module } from '@nestjs/common';
import { MetricsModule } from '../../platform/metrics/metrics.module.js';
import { ValidatorsMetrics } from '../engine/sources/validators-metrics.js';
import { PrimaryStake } from './primary-stake.js';

/** For indexes that read chains from validators. */
@Module({
  imports: [MetricsModule],
  providers: [PrimaryStake, ValidatorsMetrics],
  exports: [PrimaryStake, ValidatorsMetrics],
})
export class ValidatorsSourceModule {}
