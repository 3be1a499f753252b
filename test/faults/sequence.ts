import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../sandbox/generated/evm-chain-generator.js';
import type { Verdict } from './accounting/verdict.js';
import type { Fault, FaultContext } from './faults/fault.js';
import type { Indexes } from './indexes.js';
import type { SteadyLoad } from './load/steady-load.js';
import type { Topology } from './topology/topology.js';

const RECOVERED_WITHIN_SECONDS = 240;

/** One fault as it went. Times as in the log of requests. */
export interface Episode {
  readonly fault: Fault;
  readonly beganAt: number;
  /** When the service was left to itself. */
  readonly overAt: number;
  /** When all kinds of requests had succeeded and all indexes were at the tip; Infinity when they never were. */
  readonly recoveredAt: number;
  readonly answersAfterSeconds: number;
  readonly tipAfterSeconds: number;
  readonly notes: readonly string[];
  readonly verdicts: readonly Verdict[];
}

/** Faults one after the other, each with the time to recover from it. */
export class Sequence {
  constructor(
    private readonly parts: {
      topology: Topology;
      load: SteadyLoad;
      indexes: Indexes;
      random: Random;
      /** Until the next one. */
      calmSeconds: number;
      print: (text: string) => void;
    },
  ) {}

  async run(fault: Fault): Promise<Episode> {
    const { topology, load, indexes, random, calmSeconds, print } = this.parts;
    const beganAt = performance.now();
    let overAt: number | undefined;
    const notes: string[] = [];
    const verdicts: Verdict[] = [];
    const context: FaultContext = {
      topology,
      random,
      hold: (seconds) => delay(seconds * 1000),
      over: () => (overAt = performance.now()),
      expect: (what, holds, details = '') =>
        verdicts.push({ what: `${fault.name}: ${what}`, holds, details }),
      note: (text) => notes.push(text),
      untilAtTip: (timeoutSeconds) => indexes.untilAtTip(timeoutSeconds),
    };
    print(`${fault.name}: ${fault.what}`);
    await fault.run(context);
    const end = overAt ?? performance.now();
    const since = (performance.now() - end) / 1000;
    const [answers, tip] = await Promise.all([
      load.untilAnswered(RECOVERED_WITHIN_SECONDS),
      indexes.untilAtTip(RECOVERED_WITHIN_SECONDS),
    ]);
    const [answersAfterSeconds, tipAfterSeconds] = [answers, tip].map((each) => since + (each ?? Infinity));
    const seconds = Math.max(answersAfterSeconds ?? Infinity, tipAfterSeconds ?? Infinity);
    const behind = tip === undefined ? (await indexes.behind()).join('; ') : '';
    verdicts.push({
      what: `${fault.name}: the service recovers by itself`,
      holds: Number.isFinite(seconds),
      details: Number.isFinite(seconds) ? `${seconds.toFixed(1)} s` : `not in time; ${behind}`,
    });
    print(
      `${fault.name}: recovered after ${seconds.toFixed(1)} s${notes.map((note) => `; ${note}`).join('')}`,
    );
    await delay(calmSeconds * 1000);
    return {
      fault,
      beganAt,
      overAt: end,
      recoveredAt: end + seconds * 1000,
      answersAfterSeconds: answersAfterSeconds ?? Infinity,
      tipAfterSeconds: tipAfterSeconds ?? Infinity,
      notes,
      verdicts,
    };
  }
}
