import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProcessIdentity } from '../../src/platform/config/process-identity.js';
import { type Child, startChild } from '../bench/child.js';
import { judgeRequests } from '../faults/accounting/requests.js';
import { killTemporal } from '../faults/faults/temporal.js';
import { type LoggedRequest, RequestLog } from '../faults/load/request-log.js';
import type { Episode } from '../faults/sequence.js';
import { leastOfEach, slopePerHour } from '../faults/soak/slope.js';
import { CLEAR, Link, Sky } from '../faults/topology/link.js';
import { onCleanup } from '../support/harness/cleanup.js';

describe('the accounting of the fault suite', () => {
  const episode: Episode = {
    fault: killTemporal,
    beganAt: 1_000,
    overAt: 2_000,
    recoveredAt: 3_000,
    answersAfterSeconds: 1,
    tipAfterSeconds: 1,
    notes: [],
    verdicts: [],
  };

  const request = (given: Partial<LoggedRequest>): LoggedRequest => ({
    kind: 'aggregations',
    api: 'api 1',
    route: '/',
    startedAt: 1_500,
    endedAt: 1_600,
    outcome: 503,
    hasRetryAfter: true,
    message: '',
    ...given,
  });

  const isAllowed = (judged: LoggedRequest, options: { isSmall: boolean }): boolean => {
    const log = new RequestLog();
    log.add(judged);
    log.add(request({ outcome: 201 }));
    return judgeRequests(log, [episode], options).every(({ holds }) => holds);
  };

  it.each([
    { id: 'a 503 that the fault allows', given: {}, holds: true },
    { id: 'one that began before the recovery', given: { startedAt: 2_900, endedAt: 9_000 }, holds: true },
    { id: 'one without Retry-After', given: { hasRetryAfter: false }, holds: false },
    { id: 'one of a kind that has to go on', given: { kind: 'lists' as const }, holds: false },
    { id: 'a 500', given: { outcome: 500 }, holds: false },
    { id: 'no answer at all', given: { outcome: 'silent' as const }, holds: false },
    { id: 'a 503 after the recovery', given: { startedAt: 3_100, endedAt: 3_200 }, holds: false },
  ])('judges $id', ({ given, holds }) => {
    expect(isAllowed(request(given), { isSmall: false })).toBe(holds);
  });

  const ofStandstill = {
    startedAt: 4_000,
    endedAt: 9_010,
    message: '{"message":"the database is not available, try again shortly"}',
  };

  it.each([
    { id: 'of an outage, after as long as the service waits', given: {}, holds: true },
    { id: 'of an outage that was known sooner', given: { endedAt: 8_000 }, holds: false },
    { id: 'of anything else', given: { message: '{"message":"too few signatures"}' }, holds: false },
    { id: 'without Retry-After', given: { hasRetryAfter: false }, holds: false },
  ])('passes over a 503 without a fault in a small run alone: $id', ({ given, holds }) => {
    const late = request({ ...ofStandstill, ...given });
    expect(isAllowed(late, { isSmall: true })).toBe(holds);
    expect(isAllowed(late, { isSmall: false })).toBe(false);
  });

  it('measures growth in an hour', () => {
    const minute = 60_000;
    const points = [0, 1, 2, 3].map((at) => ({ at: at * minute, value: 100 + 2 * at }));
    expect(slopePerHour(points)).toBeCloseTo(120);
    expect(slopePerHour([{ at: 0, value: 5 }])).toBe(0);
  });

  it('finds growth in what stays, whatever comes and goes', () => {
    const minute = 60_000;
    const samples = (base: (at: number) => number) =>
      Array.from({ length: 60 }, (_, at) => {
        // More and more often many at once.
        const passing = at % 10 < at / 8 ? 50 : 0;
        return { at: (at * minute) / 2, value: base(at) + passing };
      });
    expect(slopePerHour(leastOfEach(samples(() => 11)))).toBeCloseTo(0);
    expect(slopePerHour(leastOfEach(samples((at) => 11 + at)))).toBeGreaterThan(100);
  });
});

describe(startChild.name, () => {
  const start = async (program: string, onMessage: (message: unknown) => void): Promise<Child> => {
    const folder = mkdtempSync(join(tmpdir(), 'nds-child-'));
    onCleanup(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'child.cjs'), program);
    const child = await startChild({ name: 'child', entry: 'child.cjs', project: folder, folder, onMessage });
    onCleanup(() => child.stop());
    return child;
  };

  it.each([
    { ready: `'ready'`, url: '' },
    { ready: `{ url: 'http://127.0.0.1:1' }`, url: 'http://127.0.0.1:1' },
  ])('takes no other message for $ready', async ({ ready, url }) => {
    const messages: unknown[] = [];
    const child = await start(
      `process.send({ soak: {} }, () => setImmediate(() => process.send(${ready})));
       process.once('disconnect', () => process.exit());`,
      (message) => messages.push(message),
    );
    expect(child.url).toBe(url);
    expect(messages).toHaveLength(2);
  });

  it('does not miss that a child was ready that has ended since', async () => {
    const child = await start(
      `process.send({ pid: process.pid }, () => process.send({ url: 'http://127.0.0.1:1' }, () => process.exit()));`,
      (message) => {
        const { pid } = message as { pid?: number };
        if (pid === undefined) return;
        // Nothing else is received meanwhile, so that its readiness and its end are found at once.
        const until = performance.now() + 10_000;
        while (readProcessIdentity(pid) !== undefined && performance.now() < until);
      },
    );
    expect(child.url).toBe('http://127.0.0.1:1');
  });

  it('fails with how a child has ended that was never ready', async () => {
    await expect(start('process.exit(3)', () => undefined)).rejects.toThrow('child ended with exit code 3');
  });
});

describe(Link.name, () => {
  const closers: (() => void)[] = [];
  afterEach(() => closers.splice(0).forEach((close) => close()));

  const listen = async (): Promise<Server> => {
    const server = createServer((socket) => socket.pipe(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(() => server.close());
    return server;
  };

  const dial = async (url: string): Promise<Socket> => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    closers.push(() => socket.destroy());
    await once(socket, 'connect');
    return socket;
  };

  const open = async (sky: Sky): Promise<Link> => {
    const { port } = (await listen()).address() as AddressInfo;
    const host = '127.0.0.1';
    const link = await Link.open({ at: { host, port: 0 }, to: { host, port }, sky });
    closers.push(() => link.close());
    return link;
  };

  it('holds back what is sent in a partition, and ends what began in it when it is over', async () => {
    const sky = new Sky(() => 0);
    const link = await open(sky);
    const before = await dial(link.url);
    before.write('before');
    await once(before, 'data');
    sky.set({ kind: 'cut' });
    const within = await dial(link.url);
    const answers: string[] = [];
    before.on('data', (data) => answers.push(String(data)));
    before.write('within');
    const another = await open(new Sky(() => 0)); // answers while the other one does not
    const other = await dial(another.url);
    other.write('meanwhile');
    await once(other, 'data');
    expect(answers).toEqual([]);
    const ended = once(within, 'close');
    sky.set(CLEAR);
    await Promise.all([once(before, 'data'), ended]);
    expect(answers).toEqual(['within']);
  });

  it('ends connections now and then where packets are lost', async () => {
    const sky = new Sky(() => 0); // below any share
    const link = await open(sky);
    const socket = await dial(link.url);
    sky.set({ kind: 'lossy', stallPercent: 0, resetPercent: 1 });
    socket.on('error', () => undefined);
    socket.write('lost');
    await once(socket, 'close');
  });
});
