import { Injectable } from '@nestjs/common';
import type { ValidatorAnswer } from '../../../avalanche/signature-aggregation/collection-request.js';
import { Metrics } from '../../../platform/metrics/metrics.js';
import { failureOf } from '../aggregation-metrics.js';

interface Attempt {
  readonly network: string;
  /** Whether it was a first attempt, or had all time. */
  readonly isShort: boolean;
}

/** Questions of this process to validators, and their answers. */
@Injectable()
export class CollectionMetrics {
  private readonly durations;
  private readonly answers;
  /** Signatures that collections began with, and those that they lacked. */
  known = 0;
  missing = 0;

  constructor(metrics: Metrics) {
    this.durations = metrics.durations({
      name: 'nds_collection_duration_seconds',
      help: 'Duration of attempts to collect signatures; outcome is signed, or the error code',
      labels: ['network', 'attempt', 'outcome'],
    });
    this.answers = metrics.counter({
      name: 'nds_validator_answers_total',
      help: 'Outcomes of signature requests to validators; a wrong_signature was counted as a signature before',
      labels: ['network', 'answer'],
    });
  }

  async during<T>(
    { network, isShort }: Attempt,
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    const startedAtMs = performance.now();
    let outcome = 'signed';
    try {
      return await work();
    } catch (error) {
      outcome = signal?.aborted === true ? 'aborted' : failureOf(error);
      throw error;
    } finally {
      const labels = { network, attempt: isShort ? 'short' : 'full', outcome };
      this.durations.observe(labels, (performance.now() - startedAtMs) / 1_000);
    }
  }

  /** Since the process began, of all networks. */
  async answersByKind(): Promise<[string, number][]> {
    const { values } = await this.answers.get();
    return values.map(({ labels, value }) => [String(labels.answer), value]);
  }

  countKnown(known: number, validators: number): void {
    this.known += known;
    this.missing += validators - known;
  }

  countAnswer(network: string, answer: ValidatorAnswer): void {
    this.answers.inc({ network, answer });
  }
}
