import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { row } from '../../bench/report.js';
import type { Verdict } from '../accounting/verdict.js';
import { descriptorsOf, socketsOf } from '../topology/sockets.js';
import type { Topology } from '../topology/topology.js';
import { leastOfEach, type Sample, slopePerHour } from './slope.js';

const MIB = 2 ** 20;

const ReportSchema = z.object({
  soak: z.object({
    heaps: z.array(
      z.object({
        threadId: z.number(),
        usedBytes: z.number(),
        heldBytes: z.number(),
        youngBytes: z.number(),
      }),
    ),
    residentBytes: z.number(),
    handles: z.number(),
  }),
});

/** Growth allowed in an hour to each process, in the second half of the soak; noise makes less. */
const BOUNDS_OF_EACH = { 'heap after collection (MiB)': 4, 'RSS beyond heaps (MiB)': 25 } as const;
/**
 * To all of a kind together: these move from one process to another with the work. What V8 holds for its heaps comes and goes in steps.
 * Those of the young generations are as large as the bound, and come to an end by themselves: a heap's is 48 MiB at most.
 */
const BOUNDS_OF_ALL = {
  'RSS without young generations (MiB)': 25,
  'active handles': 4,
  'open files': 4,
  'to Postgres': 2,
  'to Temporal': 2,
  'to nodes and validators': 2,
} as const;
/** Not judged: what the others are made of. */
type Part = 'heap of one thread (MiB)' | 'young generations (MiB)';
type Measure = keyof typeof BOUNDS_OF_EACH | keyof typeof BOUNDS_OF_ALL | Part;

/** Memory, handles and connections of each process over time. */
export class ProcessSamples {
  private readonly series = new Map<Measure, Map<string, Sample[]>>();
  private isSoaking = false;

  /** Between two samples. */
  constructor(private readonly intervalMs: number) {}

  /** A process's own metrics. */
  hear(process: string, message: unknown): void {
    const { data } = ReportSchema.safeParse(message);
    if (data === undefined || !this.isSoaking) return;
    const { heaps, residentBytes, handles } = data.soak;
    const total = (key: 'usedBytes' | 'heldBytes' | 'youngBytes'): number =>
      heaps.reduce((sum, heap) => sum + heap[key], 0);
    for (const { threadId, usedBytes } of heaps) {
      this.add(`${process}, thread ${threadId}`, 'heap of one thread (MiB)', usedBytes / MIB);
    }
    this.add(process, 'heap after collection (MiB)', total('usedBytes') / MIB);
    this.add(process, 'RSS beyond heaps (MiB)', (residentBytes - total('heldBytes')) / MIB);
    this.add(process, 'young generations (MiB)', total('youngBytes') / MIB);
    this.add(process, 'RSS without young generations (MiB)', (residentBytes - total('youngBytes')) / MIB);
    this.add(process, 'active handles', handles);
  }

  async soak(options: {
    topology: Topology;
    minutes: number;
    print: (text: string) => void;
  }): Promise<Verdict[]> {
    const { topology, minutes, print } = options;
    const until = performance.now() + minutes * 60_000;
    print(`soaking for ${minutes} minutes`);
    this.isSoaking = true;
    while (performance.now() < until) {
      this.sample(topology);
      await delay(this.intervalMs);
    }
    this.isSoaking = false;
    return this.judge();
  }

  toMarkdown(): string {
    const header = ['What', 'Of', 'At first', 'Half-way', 'At last', 'Growth an hour, second half'];
    const lines = [...this.series.keys()].flatMap((measure) => {
      const each = this.ofEach(measure);
      const kinds = measure in BOUNDS_OF_ALL ? this.ofKinds(measure) : [];
      return [...each, ...kinds.filter(({ of }) => each.every((one) => one.of !== of))].map(
        ({ of, points }) => {
          const half = secondHalf(points);
          const values = [points[0], half[0], half.at(-1)].map((point) => point?.value.toFixed(1) ?? '–');
          return row([measure, of, ...values, growthOf(points).toFixed(1)]);
        },
      );
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
      this.add(name, 'open files', descriptorsOf(pid).length);
      this.add(name, 'to Postgres', count(postgres.current.port));
      this.add(name, 'to Temporal', count(temporal.current.port));
      this.add(name, 'to nodes and validators', toNodes.length);
    }
    this.add('Postgres', 'open files', descriptorsOf(postgres.current.pid).length);
    this.add('Temporal', 'open files', descriptorsOf(temporal.current.pid).length);
  }

  private judge(): Verdict[] {
    const verdict = (measure: string, kept: readonly Kept[], bound: number): Verdict => {
      const growths = kept.map(({ of, points }) => ({ of, growth: growthOf(points) }));
      const most = growths.toSorted((a, b) => b.growth - a.growth)[0];
      return {
        what: `${measure}: stays as it is`,
        holds: most !== undefined && most.growth <= bound,
        details: `at most ${most?.growth.toFixed(1)} an hour (${most?.of}); bound ${bound}`,
      };
    };
    return [
      ...keysOf(BOUNDS_OF_EACH).map((name) => verdict(name, this.ofEach(name), BOUNDS_OF_EACH[name])),
      ...keysOf(BOUNDS_OF_ALL).map((name) => verdict(name, this.ofKinds(name), BOUNDS_OF_ALL[name])),
    ];
  }

  private ofEach(measure: Measure): Kept[] {
    const series = this.series.get(measure) ?? new Map<string, Sample[]>();
    return [...series].map(([of, samples]) => ({ of, points: leastOfEach(samples) }));
  }

  private ofKinds(measure: Measure): Kept[] {
    return KINDS.flatMap(({ names, all }) => {
      const parts = this.ofEach(measure).filter(({ of }) => names.test(of));
      return parts.length === 0 ? [] : [{ of: all, points: sumOf(parts.map(({ points }) => points)) }];
    });
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
  readonly of: string;
  readonly points: readonly Sample[];
}

/** Point by point. */
function sumOf(parts: readonly (readonly Sample[])[]): Sample[] {
  const count = Math.min(...parts.map((points) => points.length));
  return (parts[0] ?? []).slice(0, count).map(({ at }, i) => ({
    at,
    value: parts.reduce((sum, points) => sum + (points[i]?.value ?? 0), 0),
  }));
}

function secondHalf(points: readonly Sample[]): readonly Sample[] {
  return points.slice(Math.floor(points.length / 2));
}

function growthOf(points: readonly Sample[]): number {
  return slopePerHour(secondHalf(points));
}

function keysOf<K extends string>(bounds: Readonly<Record<K, number>>): K[] {
  return Object.keys(bounds).filter((name): name is K => name in bounds);
}
