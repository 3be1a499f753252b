import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { row } from '../../bench/report.js';
import type { Verdict } from '../accounting/verdict.js';
import { descriptorsOf, socketsOf } from '../topology/sockets.js';
import type { Topology } from '../topology/topology.js';
import { leastOfEach, type Sample, slopePerHour } from './slope.js';

export const INTERVAL_MS = 10_000;
const MIB = 2 ** 20;

const ReportSchema = z.object({
  soak: z.object({ heapBytes: z.number(), heldBytes: z.number(), handles: z.number() }),
});

/**
 * Growth allowed in an hour to all processes of a kind together, in the second half of the soak: work moves from one to another. Less than
 * what noise makes of processes that keep nothing.
 */
const BOUNDS = {
  'RSS (MiB)': 25,
  'heap after collection (MiB)': 4,
  'active handles': 4,
  'open files': 4,
  'to Postgres': 2,
  'to Temporal': 2,
  'to nodes and validators': 2,
} as const;
/** How much memory V8 holds for its heaps is its own affair; it explains a change of RSS. */
type Measure = keyof typeof BOUNDS | 'held for heaps (MiB)';

/** Memory, handles and connections of each process over time. */
export class ProcessSamples {
  private readonly series = new Map<Measure, Map<string, Sample[]>>();
  private hasBegun = false;

  /** A process's own metrics. */
  hear(process: string, message: unknown): void {
    const { data } = ReportSchema.safeParse(message);
    if (data === undefined || !this.hasBegun) return;
    this.add(process, 'heap after collection (MiB)', data.soak.heapBytes / MIB);
    this.add(process, 'held for heaps (MiB)', data.soak.heldBytes / MIB);
    this.add(process, 'active handles', data.soak.handles);
  }

  async soak(options: {
    topology: Topology;
    minutes: number;
    print: (text: string) => void;
  }): Promise<Verdict[]> {
    const { topology, minutes, print } = options;
    const until = performance.now() + minutes * 60_000;
    print(`soaking for ${minutes} minutes`);
    this.hasBegun = true;
    while (performance.now() < until) {
      this.sample(topology);
      await delay(INTERVAL_MS);
    }
    return this.judge();
  }

  toMarkdown(): string {
    const header = ['What', 'Of', 'At first', 'Half-way', 'At last', 'Growth an hour, second half'];
    const lines = this.kept().map(({ measure, of, points }) => {
      const half = secondHalf(points);
      const values = [points[0], half[0], half.at(-1)].map((point) => point?.value.toFixed(1) ?? '–');
      return row([measure, of, ...values, slopePerHour(half).toFixed(1)]);
    });
    return ['', row(header), row(header.map(() => '---')), ...lines].join('\n');
  }

  private sample({ processes, postgres, temporal, networks }: Topology): void {
    const nodeHost = new URL(networks.urls.node).hostname;
    for (const { name, pid } of processes) {
      if (pid === undefined) continue;
      const sockets = socketsOf(pid);
      const count = (port: number): number => sockets.filter(({ remotePort }) => remotePort === port).length;
      const toNodes = sockets.filter(({ remoteAddress }) => remoteAddress === nodeHost);
      this.add(name, 'RSS (MiB)', residentMib(pid));
      this.add(name, 'open files', descriptorsOf(pid).length);
      this.add(name, 'to Postgres', count(postgres.current.port));
      this.add(name, 'to Temporal', count(temporal.current.port));
      this.add(name, 'to nodes and validators', toNodes.length);
    }
    this.add('Postgres', 'open files', descriptorsOf(postgres.current.pid).length);
    this.add('Temporal', 'open files', descriptorsOf(temporal.current.pid).length);
  }

  private judge(): Verdict[] {
    return Object.entries(BOUNDS).map(([measure, bound]) => {
      const growths = this.kept()
        .filter((kept) => kept.measure === measure && !kept.isPart)
        .map(({ of, points }) => ({ of, growth: slopePerHour(secondHalf(points)) }));
      return {
        what: `${measure}: stays as it is`,
        holds: growths.length > 0 && growths.every(({ growth }) => growth <= bound),
        details: `${growths.map(({ of, growth }) => `${of} ${growth.toFixed(1)} an hour`).join(', ')}; bound ${bound}`,
      };
    });
  }

  /** What each process keeps, and all of a kind together. */
  private kept(): Kept[] {
    return [...this.series].flatMap(([measure, ofProcesses]) =>
      KINDS.flatMap(({ names, all }) => {
        const parts = [...ofProcesses]
          .filter(([process]) => names.test(process))
          .map(([of, samples]) => ({ measure, of, points: leastOfEach(samples), isPart: true }));
        if (parts.length === 0) return [];
        const points = sumOf(parts.map((part) => part.points));
        return [...(parts.length === 1 ? [] : parts), { measure, of: all, points, isPart: false }];
      }),
    );
  }

  private add(process: string, measure: Measure, value: number): void {
    const ofProcesses = this.series.get(measure) ?? new Map<string, Sample[]>();
    this.series.set(measure, ofProcesses);
    ofProcesses.set(process, [...(ofProcesses.get(process) ?? []), { at: performance.now(), value }]);
  }
}

const KINDS = [
  { names: /^api/, all: 'all APIs' },
  { names: /^worker/, all: 'all workers' },
  { names: /^Postgres/, all: 'Postgres' },
  { names: /^Temporal/, all: 'Temporal' },
];

interface Kept {
  readonly measure: Measure;
  readonly of: string;
  readonly points: readonly Sample[];
  readonly isPart: boolean;
}

/** Point by point. */
function sumOf(parts: readonly (readonly Sample[])[]): Sample[] {
  const count = Math.min(...parts.map((points) => points.length));
  return (parts[0] ?? []).slice(0, count).map(({ at }, i) => ({
    at,
    value: parts.reduce((sum, points) => sum + (points[i]?.value ?? 0), 0),
  }));
}

function secondHalf(points: readonly Sample[]): Sample[] {
  return points.slice(Math.floor(points.length / 2));
}

function residentMib(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}
