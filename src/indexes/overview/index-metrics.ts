import { Injectable } from '@nestjs/common';
import { INDEX_STATES } from '../../../workflows/contracts/index-chain.js';
import { isAudit, parseEvmChainName } from '../../platform/database/chains.js';
import { Metrics } from '../../platform/metrics/metrics.js';
import type { IndexPlace } from '../engine/following/index-place.js';
import type { ReportedIndex } from './index-overview.js';
import { IndexOverviews } from './index-overviews.js';

const LABELS = ['network', 'chain', 'facet'] as const;

/** Every index and audit according to Postgres, so also while no worker is alive. Each API process reports the same. */
@Injectable()
export class IndexMetrics {
  constructor(metrics: Metrics, overviews: IndexOverviews) {
    const gauges = declareGauges(metrics);
    metrics.onScrape(Object.values(gauges), async () => {
      const known = await overviews.list();
      return () => {
        for (const overview of known) (isAudit(overview.chain) ? showAudit : showIndex)(gauges, overview);
      };
    });
  }
}

type Gauges = ReturnType<typeof declareGauges>;

function declareGauges(metrics: Metrics) {
  const ofIndex = (name: string, help: string) => metrics.gauge({ name, help, labels: LABELS });
  const ofAudit = (name: string, help: string) =>
    metrics.gauge({ name, help, labels: ['network', 'audit'] as const });
  return {
    state: metrics.gauge({
      name: 'nds_index_state',
      help: '1 for the state that an index is in, 0 for the others',
      labels: [...LABELS, 'state'],
    }),
    updated: ofIndex('nds_index_updated_timestamp_seconds', 'When an index last reported'),
    height: ofIndex('nds_index_height', 'Height of the newest indexed block; -1 before the first'),
    tip: ofIndex('nds_index_tip_height', 'Height of the newest block that the index knows of'),
    lag: ofIndex('nds_index_lag_seconds', 'How far the newest indexed block is behind its chain'),
    rate: ofIndex('nds_index_blocks_per_second', 'How fast an index went when it last went on'),
    passed: ofAudit(
      'nds_audit_passed',
      '1 if the last comparison with the nodes found no difference, otherwise 0',
    ),
    done: ofAudit('nds_audit_done', '1 if the last audit could compare, 0 if it had nothing to look at'),
    audited: ofAudit('nds_audit_timestamp_seconds', 'When the database was last compared with the nodes'),
  };
}

function showIndex(gauges: Gauges, { report, position, ...place }: ReportedIndex): void {
  const labels = labelsOf(place);
  for (const state of INDEX_STATES) gauges.state.set({ ...labels, state }, state === report.state ? 1 : 0);
  gauges.updated.set(labels, report.updatedAt.getTime() / 1_000);
  gauges.rate.set(labels, report.state === 'running' ? report.blocksPerSecond : 0);
  if (report.height !== undefined) gauges.height.set(labels, Number(report.height));
  if (report.tip !== undefined) gauges.tip.set(labels, Number(report.tip));
  if ('lagSeconds' in position) gauges.lag.set(labels, position.lagSeconds);
}

/** One that could not compare anything counts as none. */
function showAudit(gauges: Gauges, { network, chain: audit, report }: ReportedIndex): void {
  const isDone = report.state !== 'waiting';
  gauges.done.set({ network, audit }, isDone ? 1 : 0);
  if (!isDone) return;
  gauges.passed.set({ network, audit }, report.state === 'stopped' ? 0 : 1);
  gauges.audited.set({ network, audit }, report.updatedAt.getTime() / 1_000);
}

/** An EVM chain and what is filled in of it are one chain with facets. */
function labelsOf({ network, chain }: IndexPlace) {
  const facet = parseEvmChainName(chain)?.facet;
  return facet === undefined
    ? { network, chain, facet: '' }
    : { network, chain: chain.slice(0, -facet.length - 1), facet };
}
