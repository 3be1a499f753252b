import { Module } from '@nestjs/common';
import { IndexedNetworksModule } from '../../platform/database/indexed-networks.module.js';
import { RefusalsModule } from '../../platform/http/errors/refusals.js';
import { IndexProgressModule } from '../engine/progress/index-progress.module.js';
import { MetricsModule } from '../../platform/metrics/metrics.module.js';
import { IndexFreshness } from './list-freshness.js';
import { IndexFreshnessRepository } from './index-overviews.js';
import { IndexMetrics } from './index-metrics.js';

@Module({
  imports: [IndexedNetworksModule, IndexProgressModule, MetricsModule, RefusalsModule],
  providers: [IndexFreshness, IndexFreshnessRepository, IndexMetrics],
})
export class IndexFreshnessModule {}
