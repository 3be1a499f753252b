import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { GoAggregator } from './go-aggregator.js';
import { HttpClient } from './http-client.js';
import { describeMachine } from './machine.js';
import { measure, median, type Sample, summarise, type Summary } from './measure.js';
import { type BenchRequest, blockHashRequests, type RequestMaker } from './messages.js';
import { format, row } from './report.js';
import { ServiceClient } from './service-client.js';
import type { TestBed } from './test-bed.js';

/** Signing with validators that are far away, some of which cannot be reached, and with a node that is slow and allows few calls. */

const QUORUM_PERCENT = 67;
const CALLERS = 16;
const POLL_MS = 20;
const BEFORE_HELICON = { node: '1.14.1', floor: '1.14.0' } as const;
const HELICON = { node: '1.15.0', floor: '1.15.0' } as const;
const CONNECT_LIMIT_MS = 120_000;
/** Long enough for those that come last, and for the code to be compiled. */
const SETTLE_MS = 20_000;

/** Results at 1000 validators when the goals were set. */
const RATE_THEN = 2.7;
const GOALS = { connectedMs: 5_000, aboveRoundTripMs: 50, rate: 3 * RATE_THEN, callsPerMinute: 60 } as const;

const ValidatorSchema = z.object({
  weight: z.string().transform(BigInt),
  behaviour: z.object({ kind: z.string() }),
  isListed: z.boolean(),
  roundTripMs: z.number(),
});
const WorldSchema = z.object({ validators: z.array(ValidatorSchema) });
type Validator = z.infer<typeof ValidatorSchema>;

const ObservationsSchema = z.object({
  connectedStakeShare: z.number(),
  calls: z.record(z.string(), z.number()),
});
type Observations = z.infer<typeof ObservationsSchema>;

export interface InternetEffort {
  readonly rounds: number;
  /** Of one after the other, and again of many callers. */
  readonly roundMs: number;
  /** With one message a second, while the calls to the node are counted. */
  readonly steadyMs: number;
}

/** An aggregator that has just been started. */
interface Aggregator {
  readonly pid: number;
  aggregateEventually(request: BenchRequest): Promise<number>;
  stop(): Promise<void>;
}

/** The code that is measured, or that it is compared with. */
interface Subject {
  readonly name: string;
  readonly start: () => Promise<Aggregator>;
  readonly readyMs: number[];
  readonly connectedMs: number[];
  readonly firstAnswerMs: number[];
  readonly sequential: Sample[];
  readonly concurrent: Sample[];
  /** Calls to the node per minute, by method, of each round. */
  readonly callsPerMinute: Record<string, number>[];
  refusals: number;
}

interface Internet {
  readonly bed: TestBed;
  readonly sandbox: HttpClient;
  readonly nodeUrl: string;
  readonly newRequest: RequestMaker;
  readonly effort: InternetEffort;
}

/** @returns the tables */
export async function benchInternet(options: {
  bed: TestBed;
  validators: number;
  /** A built checkout of the project, measured by turns with this one. */
  baseline: string | undefined;
  /** The signature-aggregator of icm-services, measured by turns as well. */
  goAggregator: string | undefined;
  effort: InternetEffort;
  log: (text: string) => void;
}): Promise<string> {
  const { bed, baseline, goAggregator, effort, log } = options;
  log(`${options.validators} validators on the internet: starting the sandbox`);
  const child = await bed.startSandbox(options.validators, ['--internet']);
  const nodeUrl = child.url;
  const sandbox = new HttpClient(nodeUrl);
  const internet: Internet = { bed, sandbox, nodeUrl, newRequest: await blockHashRequests(nodeUrl), effort };
  const subjects = [await ourSubject(internet, 'now', projectFolder())];
  if (baseline !== undefined) subjects.unshift(await ourSubject(internet, 'before', baseline));
  if (goAggregator !== undefined) {
    subjects.unshift(subjectOf('Go', () => startGoAggregator(internet, goAggregator)));
  }
  for (let round = 0; round < effort.rounds; round++) {
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      log(`round ${round + 1} of ${effort.rounds}: ${subject.name}`);
      await measureSubject(internet, subject);
    }
  }
  const { validators } = WorldSchema.parse(JSON.parse((await sandbox.get('/sandbox')).body));
  sandbox.close();
  await bed.stopChild(child);
  return describeResults(subjects, slowestNeededMs(validators));
}

async function ourSubject({ bed, nodeUrl }: Internet, name: string, project: string): Promise<Subject> {
  const databaseUrl = await bed.createDatabase(name);
  return subjectOf(name, async () => {
    const child = await bed.startService(nodeUrl, { project, databaseUrl });
    const client = new ServiceClient(child.url);
    const stop = async (): Promise<void> => {
      client.close();
      await bed.stopChild(child);
    };
    return { pid: child.pid, aggregateEventually: (request) => client.aggregateEventually(request), stop };
  });
}

/** Its releases of before Helicon are refused by the validators of today, so these are configured as older. */
async function startGoAggregator({ bed, nodeUrl, sandbox }: Internet, binary: string): Promise<Aggregator> {
  await sandbox.post('/sandbox/versions', JSON.stringify(BEFORE_HELICON));
  const aggregator = await GoAggregator.start({ binary, nodeUrl, folder: bed.folder });
  return {
    pid: aggregator.pid,
    aggregateEventually: (request) => aggregator.aggregateEventually(request),
    stop: async () => {
      await aggregator.stop();
      await sandbox.post('/sandbox/versions', JSON.stringify(HELICON));
    },
  };
}

function subjectOf(name: string, start: Subject['start']): Subject {
  return {
    name,
    start,
    readyMs: [],
    connectedMs: [],
    firstAnswerMs: [],
    sequential: [],
    concurrent: [],
    callsPerMinute: [],
    refusals: 0,
  };
}

async function measureSubject(internet: Internet, subject: Subject): Promise<void> {
  const { sandbox, newRequest, effort } = internet;
  await connected(sandbox, (share) => share === 0);
  const startedAtMs = performance.now();
  const isConnected = connected(sandbox, (share) => share * 100 >= QUORUM_PERCENT);
  // When the start fails, that is what counts.
  isConnected.catch(() => undefined);
  const aggregator = await subject.start();
  subject.readyMs.push(performance.now() - startedAtMs);
  const call = async (): Promise<void> => {
    subject.refusals += await aggregator.aggregateEventually(newRequest());
  };
  await call();
  subject.firstAnswerMs.push(performance.now() - startedAtMs);
  subject.connectedMs.push((await isConnected) - startedAtMs);
  await measure({ forMs: SETTLE_MS, call });
  const { pid: processId } = aggregator;
  subject.sequential.push(await measure({ forMs: effort.roundMs, call, processId }));
  subject.concurrent.push(await measure({ forMs: effort.roundMs, callers: CALLERS, call, processId }));
  subject.callsPerMinute.push(await countCalls(internet, call));
  await aggregator.stop();
}

/** The time at which the share of the stake that is connected is as wanted. */
export async function connected(sandbox: HttpClient, isWanted: (share: number) => boolean): Promise<number> {
  const startedAtMs = performance.now();
  for (;;) {
    const { connectedStakeShare } = await observe(sandbox);
    if (isWanted(connectedStakeShare)) return performance.now();
    if (performance.now() - startedAtMs > CONNECT_LIMIT_MS) {
      throw new Error(
        `${Math.round(connectedStakeShare * 100)} % of the stake is connected, and has been for long`,
      );
    }
    await delay(POLL_MS);
  }
}

async function countCalls({ sandbox, effort }: Internet, call: () => Promise<void>) {
  const before = (await observe(sandbox)).calls;
  const startedAtMs = performance.now();
  const everySecond = async (): Promise<void> => {
    const nextAtMs = performance.now() + 1_000;
    await call();
    await delay(Math.max(0, nextAtMs - performance.now()));
  };
  await measure({ forMs: effort.steadyMs, call: everySecond });
  const minutes = (performance.now() - startedAtMs) / 60_000;
  const { calls } = await observe(sandbox);
  return Object.fromEntries(
    Object.entries(calls).map(([method, count]) => [method, (count - (before[method] ?? 0)) / minutes]),
  );
}

async function observe(sandbox: HttpClient): Promise<Observations> {
  return ObservationsSchema.parse(JSON.parse((await sandbox.get('/sandbox/observations')).body));
}

/** The round trip of the farthest one that is needed when only the nearest are waited for; NaN when all do not suffice. */
function slowestNeededMs(validators: readonly Validator[]): number {
  const total = validators.reduce((sum, { weight }) => sum + weight, 0n);
  let signed = 0n;
  const nearestFirst = validators
    .filter(({ isListed, behaviour }) => isListed && behaviour.kind === 'honest')
    .sort((a, b) => a.roundTripMs - b.roundTripMs);
  for (const { weight, roundTripMs } of nearestFirst) {
    signed += weight;
    if (signed * 100n >= total * BigInt(QUORUM_PERCENT)) return roundTripMs;
  }
  return NaN;
}

function describeResults(subjects: readonly Subject[], neededMs: number): string {
  const line = (what: string, of: (subject: Subject) => string, goal = ''): string =>
    row([what, ...subjects.map(of), goal]);
  const time = (what: string, of: (subject: Subject) => number, goal = ''): string =>
    line(what, (subject) => `${format(of(subject))} ms`, goal);
  const warm = (pick: (summary: Summary) => number) => (subject: Subject) =>
    pick(summarise(subject.sequential));
  return [
    row(['On the internet', ...subjects.map(({ name }) => name), 'Goal']),
    row(['---', ...subjects.map(() => '---'), '---']),
    time('process start → ready for requests (Go: started)', ({ readyMs }) => median(readyMs)),
    time(
      `process start → ${QUORUM_PERCENT} % of the stake connected`,
      ({ connectedMs }) => median(connectedMs),
      `≤ ${GOALS.connectedMs} ms`,
    ),
    time('process start → first answer', ({ firstAnswerMs }) => median(firstAnswerMs)),
    time(
      'one after the other: p50',
      warm(({ p50Ms }) => p50Ms),
      `≤ ${format(neededMs + GOALS.aboveRoundTripMs)} ms (slowest round trip needed: ${format(neededMs)} ms)`,
    ),
    time(
      'p95',
      warm(({ p95Ms }) => p95Ms),
    ),
    time(
      'p99',
      warm(({ p99Ms }) => p99Ms),
    ),
    line('per second', (subject) => `${format(summarise(subject.sequential).perSecond)}/s`),
    line(
      `by ${CALLERS} callers`,
      ({ concurrent }) => `${format(summarise(concurrent).perSecond)}/s`,
      `≥ ${format(GOALS.rate)}/s`,
    ),
    time(`by ${CALLERS} callers: p50`, ({ concurrent }) => summarise(concurrent).p50Ms),
    time(
      'processor time of a message, one after the other',
      ({ sequential }) => summarise(sequential).processorMs,
    ),
    time(
      `processor time of a message, by ${CALLERS} callers`,
      ({ concurrent }) => summarise(concurrent).processorMs,
    ),
    line(
      'calls to the node per minute, with one message a second',
      ({ callsPerMinute }) => format(median(callsPerMinute.map(sum))),
      `≤ ${GOALS.callsPerMinute}`,
    ),
    ...methodsOf(subjects).map((method) =>
      line(`… ${method}`, ({ callsPerMinute }) =>
        format(median(callsPerMinute.map((calls) => calls[method] ?? 0))),
      ),
    ),
    line('failures on the way, the message asked for again', ({ refusals }) => String(refusals)),
    '',
    `Measured on ${describeMachine()}.`,
  ].join('\n');
}

const sum = (calls: Readonly<Record<string, number>>): number =>
  Object.values(calls).reduce((total, count) => total + count, 0);

function methodsOf(subjects: readonly Subject[]): string[] {
  const methods = subjects
    .flatMap(({ callsPerMinute }) => callsPerMinute)
    .flatMap((calls) => Object.keys(calls));
  return [...new Set(methods)].sort();
}
