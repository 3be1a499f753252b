import { Module } from '@nestjs/common';
import { Metrics } from './metrics.js';

/** The process's one collection of metrics. */
@Module({ providers: [Metrics], exports: [Metrics] })
export class MetricsModule {}
