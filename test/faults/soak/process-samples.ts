import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { row } from '../../bench/report.js';
import type { Verdict } from '../accounting/verdict.js';
import { descriptorsOf, socketsOf } from '../topology/sockets.js';
import type { Topology } from '../topology/topology.js';
import { leastOfEach, type Sample, slopePerHour } from './slope.js';

const INTERVAL_MS = 30_000;
const MIB = 2 ** 20;

const HeapSchema = z.object({
  soak: z.object({ heapBytes: z.number(), externalBytes: z.number(), handles: z.number() }),
});

/** Growth allowed in an hour, in the second half of the soak. Less than what noise makes of a process that keeps nothing. */
const BOUNDS = {
  'RSS (MiB)': 25,
  'heap after collection (MiB)': 4,
  'active handles': 4,
  'open files': 4,
  'to Postgres': 2,
  'to Temporal': 2,
  'to validators': 2,
} as const;
type Measure = keyof typeof BOUNDS;
const MEASURES = Object.keys(BOUNDS).filter((name): name is Measure => name in BOUNDS);

/** Memory, handles and connections of each process over time. */
export class ProcessSamples {
  private readonly series = new Map<string, Map<Measure, Sample[]>>();

  /** A process's own metrics. */
  hear(process: string, message: unknown): void {
    const { data } = HeapSchema.safeParse(message);
    if (data === undefined) return;
    this.add(process, 'heap after collection (MiB)', data.soak.heapBytes / MIB);
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
    while (performance.now() < until) {
      this.sample(topology);
      await delay(INTERVAL_MS);
    }
    return this.judge();
  }

  toMarkdown(): string {
    const lines = [...this.series].flatMap(([process, measures]) =>
      [...measures].map(([measure, samples]) => {
        const half = secondHalf(samples);
        const values = [leastOfEach(samples)[0], half[0], half.at(-1)].map(
          (sample) => sample?.value.toFixed(1) ?? '–',
        );
        return row([process, measure, ...values, slopePerHour(half).toFixed(1), String(BOUNDS[measure])]);
      }),
    );
    const header = [
      'Process',
      'What',
      'At first',
      'Half-way',
      'At last',
      'Growth an hour, second half',
      'Bound',
    ];
    return ['', row(header), row(header.map(() => '---')), ...lines].join('\n');
  }

  private sample({ processes, postgres, temporal, networks }: Topology): void {
    const farHost = new URL(networks.urls.node).hostname;
    for (const { name, pid } of processes) {
      if (pid === undefined) continue;
      const sockets = socketsOf(pid);
      const count = (port: number): number => sockets.filter(({ remotePort }) => remotePort === port).length;
      this.add(name, 'RSS (MiB)', residentMib(pid));
      this.add(name, 'open files', descriptorsOf(pid).length);
      this.add(name, 'to Postgres', count(postgres.current.port));
      this.add(name, 'to Temporal', count(temporal.current.port));
      this.add(
        name,
        'to validators',
        sockets.filter(({ remoteAddress }) => remoteAddress === farHost).length,
      );
    }
    for (const [name, { pid }] of [
      ['Postgres', postgres.current],
      ['Temporal', temporal.current],
    ] as const) {
      this.add(name, 'open files', descriptorsOf(pid).length);
    }
  }

  private judge(): Verdict[] {
    return MEASURES.map((measure) => {
      const growths = [...this.series].flatMap(([process, measures]) => {
        const samples = measures.get(measure);
        return samples === undefined ? [] : [{ process, growth: slopePerHour(secondHalf(samples)) }];
      });
      const worst = growths.reduce((most, each) => (each.growth > most.growth ? each : most));
      return {
        what: `${measure}: stays as it is in every process`,
        holds: worst.growth <= BOUNDS[measure],
        details: `at most ${worst.growth.toFixed(1)} an hour (${worst.process}); bound ${BOUNDS[measure]}`,
      };
    });
  }

  private add(process: string, measure: Measure, value: number): void {
    const measures = this.series.get(process) ?? new Map<Measure, Sample[]>();
    this.series.set(process, measures);
    measures.set(measure, [...(measures.get(measure) ?? []), { at: performance.now(), value }]);
  }
}

function secondHalf(samples: readonly Sample[]): Sample[] {
  return leastOfEach(samples.slice(Math.floor(samples.length / 2)));
}

function residentMib(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}
