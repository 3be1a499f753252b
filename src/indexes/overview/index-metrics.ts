import { Injectable } from '@nestjs/common';
import type { IndexState } from '../../../workflows/contracts/index-chain.js';
import { isAudit, parseEvmChainName } from '../../platform/database/chains.js';
import {
  IndexProgressRepository,
  type ProgressRecord,
} from '../engine/progress/index-progress.repository.js';
import { Metrics } from '../../platform/metrics/metrics.js';
import { IndexFreshnessRepository, type PlacedIndex } from './index-overviews.js';
import { lagSeconds } from './index-overview.js';

const STATES: readonly IndexState[] = ['running', 'waiting', 'paused', 'stopped'];

const LABELS = ['network', 'chain', 'facet'] as const;

/** The position of every index according to Postgres, so also while no worker is alive. Each API process reports the same. */
@Injectable()
export class IndexMetrics {
  private readonly state;
  private readonly updated;
  private readonly height;
  private readonly tip;
  private readonly lag;
  private readonly rate;
  private readonly audits;
  private readonly audited;

  constructor(
    metrics: Metrics,
    private readonly progress: IndexProgressRepository,
    private readonly freshness: IndexFreshnessRepository,
  ) {
    const gauge = (name: string, help: string) => metrics.gauge({ name, help, labels: LABELS });
    this.state = metrics.gauge({
      name: 'nds_index_state',
      help: '1 for the state that an index is in, 0 for the others',
      labels: [...LABELS, 'state'],
    });
    this.updated = gauge('nds_index_updated_timestamp_seconds', 'When an index last said something');
    this.height = gauge('nds_index_height', 'Height of the newest indexed block; -1 before the first');
    this.tip = gauge('nds_index_tip_height', 'Height of the newest block that the index has heard of');
    this.lag = gauge('nds_index_lag_seconds', 'How far the newest indexed block is behind its chain');
    this.rate = gauge('nds_index_blocks_per_second', 'How fast an index went when it last went on');
    const ofAudit = { labels: ['network', 'audit'] } as const;
    this.audits = metrics.gauge({
      name: 'nds_audit_passed',
      help: '1 if the last comparison with the nodes found no difference, otherwise 0',
      ...ofAudit,
    });
    this.audited = metrics.gauge({
      name: 'nds_audit_timestamp_seconds',
      help: 'When the database was last compared with the nodes',
      ...ofAudit,
    });
    const { state, updated, height, tip, lag, rate, audits, audited } = this;
    metrics.onScrape([state, updated, height, tip, lag, rate, audits, audited], () => this.read());
  }

  private async read(): Promise<() => void> {
    const [records, indexes] = await Promise.all([this.progress.list(), this.freshness.list()]);
    return () => {
      for (const record of records) {
        if (isAudit(record.chain)) this.showAudit(record);
        else this.showIndex(record);
      }
      for (const index of indexes) this.lag.set(labelsOf(index), lagSeconds(index, Date.now() / 1_000));
    };
  }

  private showIndex(record: ProgressRecord): void {
    const labels = labelsOf(record);
    for (const state of STATES) this.state.set({ ...labels, state }, state === record.state ? 1 : 0);
    this.updated.set(labels, record.updatedAt.getTime() / 1_000);
    this.rate.set(labels, record.state === 'running' ? record.blocksPerSecond : 0);
    if (record.height !== null) this.height.set(labels, Number(record.height));
    if (record.tip !== null) this.tip.set(labels, Number(record.tip));
  }

  private showAudit({ network, chain: audit, state, updatedAt }: ProgressRecord): void {
    this.audits.set({ network, audit }, state === 'stopped' ? 0 : 1);
    this.audited.set({ network, audit }, updatedAt.getTime() / 1_000);
  }
}

/** An EVM chain and what is filled in of it are one chain with facets. */
function labelsOf({ network, chain }: Pick<PlacedIndex, 'network' | 'chain'>) {
  const facet = parseEvmChainName(chain)?.facet;
  return facet === undefined
    ? { network, chain, facet: '' }
    : { network, chain: chain.slice(0, -facet.length - 1), facet };
}
