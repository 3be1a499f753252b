import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { HttpClient } from '../http-client.js';
import { connected } from '../internet.js';
import { describeMachine } from '../machine.js';
import { percentile } from '../measure.js';
import { blockHashRequests, type RequestMaker } from '../messages.js';
import { format, row } from '../report.js';
import type { MonitoredChild, TestBed } from '../test-bed.js';

const PATH = '/v1/signatureAggregator/fuji/aggregateSignatures';
const QUORUM = 0.67;
const WARM_UP = 10;
/** Between two messages of the honest caller. */
const PAUSE_MS = 500;
const HONEST = '198.18.0.1';
const TRAFFIC = /^nds_p2p_bytes_total\{.*direction="(sent|received)".*\} (\d+)$/gm;

/** The honest caller's answers, and the service's traffic and memory, over one stretch of time. */
export interface Stretch {
  readonly timesMs: readonly number[];
  readonly refusals: number;
  /** To and from validators. */
  readonly bytesPerSecond: Traffic;
  readonly memoryBytes: number;
}

interface Traffic {
  readonly sent: number;
  readonly received: number;
}

/** The service on the internet of a sandbox, most of whose stake is connected, and callers with addresses of their own. */
export class ServiceOnTheInternet {
  private readonly clients = new Map<string, HttpClient>();

  private constructor(
    readonly sandbox: HttpClient,
    private readonly service: MonitoredChild,
    private readonly newRequest: RequestMaker,
    readonly nodeUrl: string,
  ) {}

  static async start(
    bed: TestBed,
    { validators, sandboxOptions = [] }: { validators: number; sandboxOptions?: readonly string[] },
  ): Promise<ServiceOnTheInternet> {
    const { url: nodeUrl } = await bed.startSandbox(validators, ['--internet', ...sandboxOptions]);
    const env = { RATE_LIMITS: 'true', TRUSTED_PROXIES: '127.0.0.1' };
    const service = await bed.startMonitoredService(nodeUrl, env);
    const sandbox = new HttpClient(nodeUrl);
    await connected(sandbox, (share) => share >= QUORUM);
    const newRequest = await blockHashRequests(nodeUrl);
    const started = new ServiceOnTheInternet(sandbox, service, newRequest, nodeUrl);
    // Everything that an honest caller's first messages take longer for.
    for (let i = 0; i < WARM_UP; i++) await started.ask(HONEST, newRequest());
    return started;
  }

  /** @returns the HTTP status */
  async ask(address: string, body: object): Promise<number> {
    let client = this.clients.get(address);
    if (client === undefined) {
      client = new HttpClient(this.service.url, { 'x-forwarded-for': address });
      this.clients.set(address, client);
    }
    return (await client.post(PATH, JSON.stringify(body))).status;
  }

  /** One fresh message after the other. */
  async honestFor(seconds: number): Promise<Stretch> {
    const startedAtMs = performance.now();
    const before = await this.traffic();
    const timesMs: number[] = [];
    let refusals = 0;
    let memoryBytes = 0;
    while (performance.now() - startedAtMs < seconds * 1_000) {
      const askedAtMs = performance.now();
      const status = await this.ask(HONEST, this.newRequest());
      timesMs.push(performance.now() - askedAtMs);
      if (status !== 201) refusals += 1;
      memoryBytes = Math.max(memoryBytes, residentBytes(this.service.pid));
      await delay(PAUSE_MS);
    }
    const after = await this.traffic();
    const elapsed = (performance.now() - startedAtMs) / 1_000;
    const bytesPerSecond = {
      sent: (after.sent - before.sent) / elapsed,
      received: (after.received - before.received) / elapsed,
    };
    return { timesMs, refusals, bytesPerSecond, memoryBytes };
  }

  close(): void {
    this.sandbox.close();
    for (const client of this.clients.values()) client.close();
  }

  private async traffic(): Promise<Traffic> {
    const traffic = { sent: 0, received: 0 };
    for (const [, direction, bytes] of (await this.service.metrics()).matchAll(TRAFFIC)) {
      traffic[direction === 'sent' ? 'sent' : 'received'] += Number(bytes);
    }
    return traffic;
  }
}

function residentBytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1_024;
}

export interface Goals {
  readonly p50Ratio: number;
  readonly memoryMb?: number;
  readonly sentMegabytesPerSecond?: number;
}

export function describeStretches(
  quiet: Stretch,
  flooded: Stretch,
  goals: Goals,
  notes: readonly string[],
): string {
  const line = (what: string, of: (stretch: Stretch) => string, change = '', goal = ''): string =>
    row([what, of(quiet), of(flooded), change, goal]);
  const times = (percent: number) => (stretch: Stretch) => percentile(stretch.timesMs, percent);
  const milliseconds = (percent: number) => (stretch: Stretch) => `${format(times(percent)(stretch))} ms`;
  const ratio = times(50)(flooded) / times(50)(quiet);
  const more = (flooded.memoryBytes - quiet.memoryBytes) / 1e6;
  const atMost = (goal: number | undefined, sign = ''): string =>
    goal === undefined ? '' : `≤ ${sign}${goal}`;
  return [
    row(['An honest caller', 'Quiet', 'Flood', '', 'Goal']),
    row(['---', '---', '---', '---', '---']),
    line('p50', milliseconds(50), `${format(ratio)} ×`, `≤ ${goals.p50Ratio} ×`),
    line('p95', milliseconds(95)),
    line('messages', ({ timesMs }) => String(timesMs.length)),
    line('refused', ({ refusals }) => String(refusals), '', '0'),
    line(
      'memory of the process, MB',
      ({ memoryBytes }) => format(memoryBytes / 1e6),
      `+${format(more)}`,
      atMost(goals.memoryMb, '+'),
    ),
    line(
      'to validators, MB/s',
      ({ bytesPerSecond }) => format(bytesPerSecond.sent / 1e6),
      '',
      atMost(goals.sentMegabytesPerSecond),
    ),
    line('from validators, MB/s', ({ bytesPerSecond }) => format(bytesPerSecond.received / 1e6)),
    '',
    ...notes,
    '',
    `Measured on ${describeMachine()}.`,
  ].join('\n');
}
