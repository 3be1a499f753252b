import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { HttpClient } from './http-client.js';
import { describeMachine } from './machine.js';
import { parseNumbers } from './options.js';
import { format, row } from './report.js';
import { TestBed } from './test-bed.js';

/** `npm run bench -- processes`: how long processes behind one address take until the stake is connected to each of them. */

const USAGE = `Usage: npm run bench -- processes [options]
  --validators N   on the internet of the sandbox (930)
  --processes N    started together (10)
  --cooldown-ms N  in which a validator takes one connection from an address (10000, as avalanchego does)`;

const QUORUM = 0.67;
/** Of the 90 % that can be reached. */
const MOST = 0.85;
const POLL_MS = 200;
/** Far more than the validators' limits make it last. */
const GIVE_UP_COOLDOWNS = 60;
const STAKE = /^nds_p2p_connected_stake_ratio\{.*subnet="primary".*\} (\S+)$/m;

const WorldSchema = z.object({
  validators: z.array(z.object({ index: z.number(), behaviour: z.object({ kind: z.string() }) })),
});

/** When a process had each share of the stake, since all were started. */
interface Times {
  quorumMs?: number;
  mostMs?: number;
}

const options = parseNumbers(USAGE, { validators: 930, processes: 10, 'cooldown-ms': 10_000 });
const log = (text: string): void => console.error(`[bench] ${text}`);
const bed = await TestBed.start(log);
try {
  log(`${options.validators} validators on the internet: starting the sandbox`);
  const { url: nodeUrl } = await bed.startSandbox(options.validators, ['--internet']);
  await limitConnections(nodeUrl);
  log(`starting ${options.processes} processes`);
  const startedAtMs = performance.now();
  const processes = await Promise.all(
    Array.from({ length: options.processes }, () => bed.startMonitoredService(nodeUrl)),
  );
  log(`all are up after ${format((performance.now() - startedAtMs) / 1_000)} s`);
  const times = processes.map((): Times => ({}));
  const giveUpAtMs = startedAtMs + GIVE_UP_COOLDOWNS * options['cooldown-ms'];
  while (times.some(({ mostMs }) => mostMs === undefined) && performance.now() < giveUpAtMs) {
    for (const [i, process] of processes.entries()) {
      const share = Number(STAKE.exec(await process.metrics())?.[1] ?? 0);
      const sinceMs = performance.now() - startedAtMs;
      const time = times[i] ?? {};
      if (share >= QUORUM) time.quorumMs ??= sinceMs;
      if (share >= MOST) time.mostMs ??= sinceMs;
    }
    await delay(POLL_MS);
  }
  console.log(describeTimes(times));
} finally {
  await bed.stop();
}

/** Those that can be reached at all. */
async function limitConnections(nodeUrl: string): Promise<void> {
  const sandbox = new HttpClient(nodeUrl);
  const { validators } = WorldSchema.parse(JSON.parse((await sandbox.get('/sandbox')).body));
  const behaviour = JSON.stringify({ kind: 'throttle', everyMs: options['cooldown-ms'] });
  for (const { index, behaviour: own } of validators) {
    if (own.kind === 'honest') await sandbox.post(`/sandbox/validators/${index}`, behaviour);
  }
  sandbox.close();
}

function describeTimes(times: readonly Times[]): string {
  const column = (of: (time: Times) => number | undefined): number[] =>
    times.map((time) => of(time) ?? Infinity).sort((a, b) => a - b);
  const quorum = column(({ quorumMs }) => quorumMs);
  const most = column(({ mostMs }) => mostMs);
  const seconds = (ms: number | undefined): string => (ms === undefined ? '' : `${format(ms / 1_000)} s`);
  return [
    row(['Process', `${QUORUM * 100} % of the stake`, `${MOST * 100} %, of 90 that can be reached`]),
    row(['---', '---', '---']),
    ...times.map((_, i) => row([String(i + 1), seconds(quorum[i]), seconds(most[i])])),
    '',
    `${times.length} processes behind one address, started together, in the order in which they got there.`,
    `Measured on ${describeMachine()}.`,
  ].join('\n');
}
