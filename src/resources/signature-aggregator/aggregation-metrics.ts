import { Injectable } from '@nestjs/common';
import { isAvalancheError } from '../../avalanche/avalanche.error.js';
import { ApiError } from '../../platform/http/errors/api-error.js';
import { Metrics } from '../../platform/metrics/metrics.js';
import { FailedAggregation } from './record/failed-aggregation.js';

/**
 * Where an answer came from: Postgres as it is or put together from stored signatures, this process's own connections, or a workflow that
 * another process worked on.
 */
export type AnswerSource = 'stored' | 'assembled' | 'collected' | 'workflow';

/** Neither a validator nor a worker was asked for it. */
export function isFromStore(source: AnswerSource): boolean {
  return source === 'stored' || source === 'assembled';
}

/** Aggregations as their callers see them. Equal requests that share an answer count once. */
@Injectable()
export class AggregationMetrics {
  private readonly durations;

  constructor(metrics: Metrics) {
    this.durations = metrics.durations({
      name: 'nds_aggregation_duration_seconds',
      help: 'Time to answer a request for signatures; outcome is the source of the answer, or the error code',
      labels: ['network', 'outcome'],
    });
  }

  /** How often each outcome was, of all networks. */
  async outcomes(): Promise<[string, number][]> {
    const { values } = await this.durations.get();
    return values.flatMap(({ metricName, labels, value }): [string, number][] =>
      metricName?.endsWith('_count') === true ? [[String(labels.outcome), value]] : [],
    );
  }

  async during<T extends { readonly source: AnswerSource }>(
    network: string,
    work: () => Promise<T>,
  ): Promise<T> {
    const startedAtMs = performance.now();
    let outcome = '';
    try {
      const answer = await work();
      outcome = answer.source;
      return answer;
    } catch (error) {
      outcome = failureOf(error);
      throw error;
    } finally {
      this.durations.observe({ network, outcome }, (performance.now() - startedAtMs) / 1_000);
    }
  }
}

/** Codes are ours, so there are few. */
export function failureOf(error: unknown): string {
  if (isAvalancheError(error) || error instanceof FailedAggregation) return error.code.toLowerCase();
  return error instanceof ApiError ? `status_${error.statusCode}` : 'unexpected';
}
