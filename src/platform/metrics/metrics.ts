import { Injectable, Logger } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { inTime } from '../in-time.js';

/** Gauges with a counter's name; the same is counted by type under proper ones. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

export interface MetricDescription<Label extends string> {
  /** With the prefix `nds_` and the unit; counters end in `_total`. */
  readonly name: string;
  readonly help: string;
  /** Of few values each, and never a caller's: a series lives as long as the process. */
  readonly labels?: readonly Label[];
}

/** From fractions of a millisecond, as an answer from memory takes, to the longest aggregation. Seconds. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Prometheus gives up after 10 s; values that have not been read by then are left out. */
const READ_TIMEOUT_MS = 3_000;

/** Looks something up, and returns what sets metrics to it. */
export type Reading = () => Promise<() => void> | (() => void);

interface Reader {
  readonly metrics: readonly { reset(): void }[];
  readonly read: Reading;
}

/**
 * The metrics that a process offers to Prometheus. The code that does the work declares its metrics here and counts; values that can
 * be looked up are read at each scrape (`onScrape`), so that nothing is measured without being read.
 */
@Injectable()
export class Metrics {
  private readonly logger = new Logger(Metrics.name);
  private readonly registry = new Registry();
  private readonly readers: Reader[] = [];
  private readonly others: (() => Promise<string>)[] = [];
  private scrape: Promise<string> | undefined;

  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;

  counter<Label extends string = never>(description: MetricDescription<Label>): Counter<Label> {
    return new Counter(this.configurationOf(description));
  }

  gauge<Label extends string = never>(description: MetricDescription<Label>): Gauge<Label> {
    return new Gauge(this.configurationOf(description));
  }

  /** Of seconds. */
  durations<Label extends string = never>(description: MetricDescription<Label>): Histogram<Label> {
    return new Histogram({ ...this.configurationOf(description), buckets: DURATION_BUCKETS });
  }

  /** Sets these before each scrape. A reading that fails or is late removes their series: no values are better than old ones. */
  onScrape(metrics: Reader['metrics'], read: Reading): void {
    this.readers.push({ metrics, read });
  }

  /** The heap, the event loop, handles: metrics of every Node.js process. */
  includeProcess(): void {
    collectDefaultMetrics({ register: this.registry });
    for (const name of MISNAMED) this.registry.removeSingleMetric(name);
  }

  /** Metrics of another library, as text, under names of its own. */
  include(text: () => Promise<string>): void {
    this.others.push(text);
  }

  /** Everything as Prometheus reads it. However many ask at once, it is read once. */
  text(): Promise<string> {
    this.scrape ??= this.read().finally(() => {
      this.scrape = undefined;
    });
    return this.scrape;
  }

  private async read(): Promise<string> {
    await Promise.all(this.readers.map((reader) => this.readInTime(reader)));
    const others = this.others.map((text) => this.textInTime(text));
    const texts = await Promise.all([this.registry.metrics(), ...others]);
    return texts.map((text) => (text === '' || text.endsWith('\n') ? text : `${text}\n`)).join('');
  }

  private async readInTime({ metrics, read }: Reader): Promise<void> {
    let set: (() => void) | undefined;
    try {
      set = await inTime(Promise.resolve(read()), READ_TIMEOUT_MS);
    } catch (error) {
      this.logger.debug(`some metrics are left out: ${String(error)}`);
    }
    for (const metric of metrics) metric.reset();
    set?.();
  }

  private async textInTime(text: () => Promise<string>): Promise<string> {
    try {
      return await inTime(text(), READ_TIMEOUT_MS);
    } catch (error) {
      this.logger.debug(`some metrics are left out: ${String(error)}`);
      return '';
    }
  }

  private configurationOf<Label extends string>({ name, help, labels = [] }: MetricDescription<Label>) {
    return { name, help, labelNames: labels, registers: [this.registry] };
  }
}
