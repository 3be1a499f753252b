import { describeMachine } from './machine.js';
import type { Comparison, Summary } from './measure.js';
import type { ColdStart } from './scenarios.js';

/** Collects what was measured, and prints it as the README shows it. */
export class Report {
  private readonly requests: string[] = [];
  private readonly ratios: string[] = [];

  addColdStart(network: string, { readyMs, firstRequestMs }: ColdStart): void {
    const what = `first request of a new process (which was up in ${format(readyMs)} ms)`;
    this.requests.push(row([network, what, `${format(firstRequestMs)} ms`, '', '', '']));
  }

  addRequests(network: string, what: string, { p50Ms, p95Ms, p99Ms, perSecond }: Summary): void {
    const times = [p50Ms, p95Ms, p99Ms].map((timeMs) => `${format(timeMs)} ms`);
    this.requests.push(row([network, what, ...times, format(perSecond)]));
  }

  /** Times per request: smaller is better. */
  addTimeRatio(what: string, { ours, reference, p50Ratio }: Comparison, goal: string): void {
    const values = [`${format(ours.p50Ms)} ms`, `${format(reference.p50Ms)} ms`];
    this.ratios.push(row([what, ...values, `${format(p50Ratio)} ×`, goal]));
  }

  /** The other way round: how many times longer the reference takes. */
  addSpeedUp(what: string, { ours, reference, p50Ratio }: Comparison, goal: string): void {
    const values = [`${format(ours.p50Ms)} ms`, `${format(reference.p50Ms)} ms`];
    this.ratios.push(row([what, ...values, `${format(1 / p50Ratio)} × faster`, goal]));
  }

  addRateRatio(what: string, { ours, reference, rateRatio }: Comparison, goal: string): void {
    const values = [`${format(ours.perSecond)}/s`, `${format(reference.perSecond)}/s`];
    this.ratios.push(row([what, ...values, `${format(rateRatio)} ×`, goal]));
  }

  /** Of the process that answers, without Temporal, Postgres and the nodes. */
  addProcessorTime(what: string, { ours, reference }: Comparison): void {
    const values = [`${format(ours.processorMs)} ms`, `${format(reference.processorMs)} ms`];
    this.ratios.push(row([what, ...values, `${format(ours.processorMs / reference.processorMs)} ×`, '']));
  }

  toMarkdown(): string {
    return [
      row(['Validators', 'Requests, each with a message of its own', 'p50', 'p95', 'p99', 'per second']),
      row(['---', '---', '---', '---', '---', '---']),
      ...this.requests,
      '',
      row(['Comparison in one run', 'Service', 'Reference', 'Ratio', 'Goal']),
      row(['---', '---', '---', '---', '---']),
      ...this.ratios,
      '',
      `Measured on ${describeMachine()}.`,
    ].join('\n');
  }
}

export function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Three significant digits are more than such measurements hold. */
export function format(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return value >= 100 ? value.toFixed(0) : value.toPrecision(value >= 10 ? 3 : 2);
}
