import { Module } from '@nestjs/common';
import { IndexedNetworksModule } from './indexed-networks.module.js';
import { RefusalsModule } from '../../platform/http/errors/refusals.js';
import { MetricsModule } from '../../platform/metrics/metrics.module.js';
import { CoverageRepository } from '../engine/coverage/coverage.repository.js';
import { EvmIndexRepository } from '../evm/rows/evm-index.repository.js';
import { IndexMetrics } from './index-metrics.js';
import { IndexOverviews } from './index-overviews.js';
import { ListFreshness } from './list-freshness.js';
import { MeasuredChains } from './measured-chains.js';

@Module({
  imports: [IndexedNetworksModule, MetricsModule, RefusalsModule],
  providers: [
    IndexOverviews,
    MeasuredChains,
    CoverageRepository,
    EvmIndexRepository,
    ListFreshness,
    IndexMetrics,
  ],
  exports: [IndexOverviews, MeasuredChains, CoverageRepository],
})
export class IndexOverviewModule {}
