import { setTimeout as delay } from 'node:timers/promises';
import { UNKNOWN_BLOCK_PREFIX } from '../../../sandbox/peer/signature-request-handler.js';
import { blockHashRequests } from '../messages.js';
import { TestBed } from '../test-bed.js';
import { describeStretches, ServiceOnTheInternet } from './honest-caller.js';
import { describeStatuses } from './sampled.js';

const GOALS = { p50Ratio: 1.5, memoryMb: 300, sentMegabytesPerSecond: 20 } as const;

export interface MessageFlood {
  /** On the internet of the sandbox. */
  readonly validators: number;
  /** Length of the flood; half as long without one before it. */
  readonly seconds: number;
  /** Messages of blocks that nobody knows, from all addresses together. */
  readonly 'per-second': number;
  readonly addresses: number;
}

/** An honest caller's fresh messages, alone and beside many addresses that ask for messages of no block. @returns the table */
export async function benchMessages(options: MessageFlood, log: (text: string) => void): Promise<string> {
  const { validators, seconds, addresses, 'per-second': perSecond } = options;
  const bed = await TestBed.start(log);
  try {
    log(`${validators} validators on the internet: starting the sandbox and the service`);
    const service = await ServiceOnTheInternet.start(bed, { validators });
    log('an honest caller alone');
    const quiet = await service.honestFor(seconds / 2);
    log(`beside ${perSecond} unknown messages a second from ${addresses} addresses`);
    const over = new AbortController();
    const flood = floodWith(service, options, over.signal);
    const flooded = await service.honestFor(seconds);
    over.abort();
    const statuses = describeStatuses(await flood);
    service.close();
    return describeStretches(quiet, flooded, GOALS, [`The flood was answered with ${statuses}.`]);
  } finally {
    await bed.stop();
  }
}

/** Ends when `signal` is aborted; counts the answers by status. */
async function floodWith(
  service: ServiceOnTheInternet,
  { addresses, 'per-second': perSecond }: MessageFlood,
  signal: AbortSignal,
): Promise<Record<number, number>> {
  const newRequest = await blockHashRequests(service.nodeUrl, UNKNOWN_BLOCK_PREFIX);
  const statuses: Record<number, number> = {};
  const asked: Promise<void>[] = [];
  const startedAtMs = performance.now();
  for (let i = 0; !signal.aborted; i++) {
    const asking = service.ask(`198.18.1.${i % addresses}`, newRequest()).then((status) => {
      statuses[status] = (statuses[status] ?? 0) + 1;
    });
    asked.push(asking);
    await delay(Math.max(0, startedAtMs + ((i + 1) * 1_000) / perSecond - performance.now()));
  }
  await Promise.all(asked);
  return statuses;
}
