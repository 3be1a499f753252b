import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../../sandbox/local/processes/ports.js';
import { UNKNOWN_BLOCK_PREFIX } from '../../../sandbox/peer/signature-request-handler.js';
import { HttpClient } from '../http-client.js';
import { connected } from '../internet.js';
import { describeMachine } from '../machine.js';
import { percentile } from '../measure.js';
import { blockHashRequests, type RequestMaker } from '../messages.js';
import { format, row } from '../report.js';
import { TestBed } from '../test-bed.js';
import { describeStatuses } from './sampled.js';

export interface MessageFlood {
  /** On the internet of the sandbox. */
  readonly validators: number;
  /** Length of the flood; half as long without one before it. */
  readonly seconds: number;
  /** Messages of blocks that nobody knows, from all addresses together. */
  readonly 'per-second': number;
  readonly addresses: number;
}

const PATH = '/v1/signatureAggregator/fuji/aggregateSignatures';
const QUORUM = 0.67;
const WARM_UP = 10;
/** Between two messages of the honest caller. */
const HONEST_PAUSE_MS = 500;
const GOALS = { p50Ratio: 1.5, memoryMb: 300, megabytesPerSecond: 20 } as const;

const SENT_BYTES = /^nds_p2p_bytes_total\{.*direction="sent".*\} (\d+)$/gm;

/** What the honest caller saw, and what the service took, over one stretch of time. */
interface Stretch {
  readonly timesMs: number[];
  readonly refusals: number;
  readonly sentBytesPerSecond: number;
  readonly memoryBytes: number;
}

class Floods {
  private readonly clients = new Map<string, HttpClient>();

  constructor(
    private readonly service: { readonly url: string; readonly pid: number; readonly metricsUrl: string },
    private readonly known: RequestMaker,
    private readonly unknown: RequestMaker,
  ) {}

  /** Everything that an honest caller's first messages take longer for. */
  async warmUp(): Promise<void> {
    for (let i = 0; i < WARM_UP; i++) await this.ask('198.18.0.1', this.known());
  }

  async honestFor(seconds: number): Promise<Stretch> {
    const startedAtMs = performance.now();
    const sentBefore = await this.sentBytes();
    const timesMs: number[] = [];
    let refusals = 0;
    let memoryBytes = 0;
    while (performance.now() - startedAtMs < seconds * 1_000) {
      const askedAtMs = performance.now();
      const status = await this.ask('198.18.0.1', this.known());
      timesMs.push(performance.now() - askedAtMs);
      if (status !== 201) refusals += 1;
      memoryBytes = Math.max(memoryBytes, residentBytes(this.service.pid));
      await delay(HONEST_PAUSE_MS);
    }
    const sent = (await this.sentBytes()) - sentBefore;
    const sentBytesPerSecond = (sent * 1_000) / (performance.now() - startedAtMs);
    return { timesMs, refusals, sentBytesPerSecond, memoryBytes };
  }

  /** Ends when `signal` is aborted; counts the answers by status. */
  async flood(perSecond: number, addresses: number, signal: AbortSignal): Promise<Record<number, number>> {
    const statuses: Record<number, number> = {};
    const asked: Promise<void>[] = [];
    const startedAtMs = performance.now();
    for (let i = 0; !signal.aborted; i++) {
      const asking = this.ask(`198.18.1.${i % addresses}`, this.unknown()).then((status) => {
        statuses[status] = (statuses[status] ?? 0) + 1;
      });
      asked.push(asking);
      await delay(Math.max(0, startedAtMs + ((i + 1) * 1_000) / perSecond - performance.now()));
    }
    await Promise.all(asked);
    return statuses;
  }

  close(): void {
    for (const client of this.clients.values()) client.close();
  }

  private async ask(address: string, body: object): Promise<number> {
    let client = this.clients.get(address);
    if (client === undefined) {
      client = new HttpClient(this.service.url, { 'x-forwarded-for': address });
      this.clients.set(address, client);
    }
    return (await client.post(PATH, JSON.stringify(body))).status;
  }

  private async sentBytes(): Promise<number> {
    const text = await (await fetch(`${this.service.metricsUrl}/metrics`)).text();
    return [...text.matchAll(SENT_BYTES)].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
  }
}

function residentBytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1_024;
}

function describeResults(quiet: Stretch, flooded: Stretch, statuses: Record<number, number>): string {
  const p50s = [quiet, flooded].map(({ timesMs }) => percentile(timesMs, 50));
  const p95s = [quiet, flooded].map(({ timesMs }) => percentile(timesMs, 95));
  const [quietP50 = NaN, floodedP50 = NaN] = p50s;
  const megabytes = (bytes: number): string => format(bytes / 1e6);
  const more = (flooded.memoryBytes - quiet.memoryBytes) / 1e6;
  return [
    row(['An honest caller', 'Quiet', 'Flood', '', 'Goal']),
    row(['---', '---', '---', '---', '---']),
    row([
      'p50',
      ...p50s.map((ms) => `${format(ms)} ms`),
      `${format(floodedP50 / quietP50)} ×`,
      `≤ ${GOALS.p50Ratio} ×`,
    ]),
    row(['p95', ...p95s.map((ms) => `${format(ms)} ms`), '', '']),
    row(['messages', String(quiet.timesMs.length), String(flooded.timesMs.length), '', '']),
    row(['refused', String(quiet.refusals), String(flooded.refusals), '', '0']),
    row([
      'memory of the process, MB',
      ...[quiet, flooded].map(({ memoryBytes }) => megabytes(memoryBytes)),
      `+${format(more)}`,
      `≤ +${GOALS.memoryMb}`,
    ]),
    row([
      'to validators, MB/s',
      ...[quiet, flooded].map(({ sentBytesPerSecond }) => megabytes(sentBytesPerSecond)),
      '',
      `≤ ${GOALS.megabytesPerSecond}`,
    ]),
    '',
    `The flood was answered with ${describeStatuses(statuses)}.`,
    '',
    `Measured on ${describeMachine()}.`,
  ].join('\n');
}

/** @returns the table */
export async function benchMessages(options: MessageFlood, say: (text: string) => void): Promise<string> {
  const bed = await TestBed.start(say);
  try {
    say(`${options.validators} validators on the internet: starting the sandbox and the service`);
    const sandbox = await bed.startSandbox(options.validators, ['--internet']);
    const metricsUrl = `http://127.0.0.1:${await freePort()}`;
    const env = {
      RATE_LIMITS: 'true',
      TRUSTED_PROXIES: '127.0.0.1',
      METRICS_ADDRESS: new URL(metricsUrl).host,
    };
    const service = await bed.startService(sandbox.url, { env });
    const known = await blockHashRequests(sandbox.url);
    const unknown = await blockHashRequests(sandbox.url, UNKNOWN_BLOCK_PREFIX);
    const sandboxClient = new HttpClient(sandbox.url);
    await connected(sandboxClient, (share) => share >= QUORUM);
    sandboxClient.close();
    const floods = new Floods({ ...service, metricsUrl }, known, unknown);
    await floods.warmUp();
    say('an honest caller alone');
    const quiet = await floods.honestFor(options.seconds / 2);
    say(`beside ${options['per-second']} unknown messages a second from ${options.addresses} addresses`);
    const over = new AbortController();
    const flood = floods.flood(options['per-second'], options.addresses, over.signal);
    const flooded = await floods.honestFor(options.seconds);
    over.abort();
    const statuses = await flood;
    floods.close();
    return describeResults(quiet, flooded, statuses);
  } finally {
    await bed.stop();
  }
}
