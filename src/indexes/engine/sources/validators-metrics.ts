import { Injectable } from '@nestjs/common';
import { Metrics } from '../../../platform/metrics/metrics.js';
import type { IndexPlace } from '../following/index-place.js';
import type { ValidatorsSource } from './validators-source.js';

/** How chains are read from validators by this process. */
@Injectable()
export class ValidatorsMetrics {
  private readonly sources: { readonly labels: IndexPlace; readonly source: ValidatorsSource }[] = [];

  constructor(metrics: Metrics) {
    const labels = ['network', 'chain'] as const;
    const serving = metrics.gauge({
      name: 'nds_chain_serving_peers',
      help: 'Validators that have served blocks of a chain and are asked for more',
      labels,
    });
    const distrusted = metrics.gauge({
      name: 'nds_chain_distrusted_peers',
      help: 'Validators that are not asked for blocks because of an answer that no honest one gives',
      labels,
    });
    const taken = metrics.counter({
      name: 'nds_chain_containers_total',
      help: 'Blocks and vertices of a chain that validators have served',
      labels,
    });
    metrics.onScrape([serving, distrusted, taken], () => () => {
      for (const { labels: of, source } of this.sources) {
        const count = source.count();
        serving.set({ ...of }, count.serving);
        distrusted.set({ ...of }, count.distrusted);
        taken.inc({ ...of }, count.taken);
      }
    });
  }

  watch(place: IndexPlace, source: ValidatorsSource): void {
    this.sources.push({ labels: place, source });
  }
}
