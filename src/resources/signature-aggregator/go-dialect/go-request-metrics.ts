import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.module.js';
import { Metrics } from '../../../platform/metrics/metrics.js';
import { AggregationMetrics } from '../aggregation-metrics.js';

/** Codes that end an aggregation before any validator is asked. */
const WITHOUT_SET = /^(node_|height_|unknown_|p_chain_|proposed_|empty_)/;

/** Under the Go aggregator's names, for dashboards that were made for it: what its callers ask of this process, and what all get. */
@Injectable()
export class GoRequestMetrics {
  private readonly own;

  constructor(config: Config, metrics: Metrics, aggregations: AggregationMetrics) {
    if (config.env.GO_AGGREGATOR_PORT === undefined) return;
    this.own = {
      requests: metrics.counter({
        name: 'signature_aggregator_agg_sigs_req_count',
        help: 'Requests for signatures on the port of the Go aggregator',
      }),
      latency: metrics.gauge({
        name: 'signature_aggregator_agg_sigs_latency_ms',
        help: 'Time that the last of them that was signed took. Milliseconds',
      }),
    };
    const sets = metrics.counter({
      name: 'signature_aggregator_failures_to_get_validator_set',
      help: 'Aggregations that failed before a validator was asked',
    });
    const stake = metrics.counter({
      name: 'signature_aggregator_failures_to_connect_to_sufficient_stake',
      help: 'Aggregations that failed for want of connected weight',
    });
    metrics.onScrape([sets, stake], async () => {
      const outcomes = await aggregations.outcomes();
      const count = (isWanted: (outcome: string) => boolean): number =>
        outcomes.reduce((sum, [outcome, times]) => (isWanted(outcome) ? sum + times : sum), 0);
      return () => {
        sets.inc(count((outcome) => WITHOUT_SET.test(outcome)));
        stake.inc(count((outcome) => outcome === 'insufficient_connected_weight'));
      };
    });
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    const startedAtMs = performance.now();
    this.own?.requests.inc();
    const answer = await work();
    this.own?.latency.set(Math.round(performance.now() - startedAtMs));
    return answer;
  }
}
