import { Injectable } from '@nestjs/common';
import type { ValidatorAnswer } from '../../../avalanche/signature-aggregation/collection-request.js';
import { Config } from '../../../platform/config/config.module.js';
import { Metrics } from '../../../platform/metrics/metrics.js';
import { CollectionMetrics } from '../collect/collection-metrics.js';
import { PeerConnections } from '../peers/peer-connections.js';
import { shownStake } from '../peers/peer-metrics.js';

/** The answers that each counter of the Go aggregator has; those that were never sent are no requests. */
const ANSWERS_OF: Readonly<Record<string, readonly ValidatorAnswer[]>> = {
  app_request_count: ['signature', 'empty', 'malformed', 'disconnected', 'timed_out', 'aborted', 'app_error'],
  failures_sending_to_node: ['not_connected', 'too_many_requests'],
  validator_timeouts: ['timed_out'],
  invalid_signature_responses: ['wrong_signature', 'malformed', 'empty'],
};

/** Under the Go aggregator's names: what a process with connections to validators does. */
@Injectable()
export class GoCollectionMetrics {
  constructor(
    config: Config,
    private readonly metrics: Metrics,
    private readonly collections: CollectionMetrics,
    connections: PeerConnections,
  ) {
    if (config.env.GO_AGGREGATOR_PORT === undefined) return;
    this.readAnswers();
    this.readKnown();
    this.readStake(connections);
  }

  private readAnswers(): void {
    for (const [name, wanted] of Object.entries(ANSWERS_OF)) {
      const help = `Requests to validators by how they ended: ${wanted.join(', ')}`;
      const counter = this.metrics.counter({ name: `signature_aggregator_${name}`, help });
      this.metrics.onScrape([counter], async () => {
        const answers = await this.collections.answersByKind();
        const sum = answers.reduce(
          (total, [answer, times]) => (wanted.some((one) => one === answer) ? total + times : total),
          0,
        );
        return () => counter.inc(sum);
      });
    }
  }

  private readKnown(): void {
    const hits = this.metrics.counter({
      name: 'signature_aggregator_signature_cache_hits',
      help: 'Signatures that were known when a collection began',
    });
    const misses = this.metrics.counter({
      name: 'signature_aggregator_signature_cache_misses',
      help: 'Signatures that were not',
    });
    this.metrics.onScrape([hits, misses], () => {
      const { known, missing } = this.collections;
      return () => {
        hits.inc(known);
        misses.inc(missing);
      };
    });
  }

  private readStake(connections: PeerConnections): void {
    const stake = this.metrics.gauge({
      name: 'signature_aggregator_connected_stake_weight_percentage',
      help: 'Percentage of the weight of a subnet whose validators are connected',
      labels: ['subnetID'],
    });
    this.metrics.onScrape([stake], () => () => {
      for (const peers of connections.open.values()) {
        for (const { subnetId: subnetID, share } of shownStake(peers)) stake.set({ subnetID }, 100 * share);
      }
    });
  }
}
