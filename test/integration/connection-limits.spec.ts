import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { createAdapter } from '../../src/app.setup.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { undisturbed } from '../support/harness/undisturbed.js';

const MIB = 1024 * 1024;
/** More than the kernel takes for a caller who reads nothing. */
const BIG = 'x'.repeat(32 * MIB);
const STALL_MS = 200;

/** A program of a caller who sends a request to a port, and breaks the connection off. */
const SEND_AND_RESET = `
  const caller = require('node:net').connect(process.argv[1], '127.0.0.1', () => {
    caller.write('GET /small HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n', () => caller.resetAndDestroy());
  });`;

/** A connection as the caller has it, and as the server does. */
interface Connection {
  readonly caller: Socket;
  readonly served: Socket;
}

async function serve(limits: Parameters<typeof createAdapter>[0]): Promise<() => Promise<Connection>> {
  const server = createAdapter(limits).getInstance();
  server.get('/small', () => 'small');
  server.get('/big', () => BIG);
  server.get('/stream', () => Readable.from(Array.from({ length: 32 }, () => BIG.slice(0, MIB))));
  // They answer when the time is over in which connections that do nothing end.
  server.get('/late', async ({ raw }) => once(raw.socket, 'timeout').then(() => 'late'));
  server.get('/late-big', async ({ raw }) => once(raw.socket, 'timeout').then(() => BIG));
  await server.listen({ host: '127.0.0.1', port: 0 });
  onCleanup(() => server.close());
  return async () => {
    const { port } = server.server.address() as AddressInfo;
    const accepted = new Promise<Socket>((resolve) => server.server.once('connection', resolve));
    const caller = connect(port, '127.0.0.1').on('error', () => undefined);
    onCleanup(() => void caller.destroy());
    return { caller, served: await accepted };
  };
}

function ask({ caller }: Connection, path: string): void {
  caller.write(`GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`);
}

/** Beginning of the answer, once its end has arrived. */
async function answerOf(connection: Connection, path: string, end: string): Promise<string> {
  const { caller } = connection;
  let received = '';
  const isThere = new Promise<void>((resolve, reject) => {
    caller.once('close', () => reject(new Error(`closed after ${received}`)));
    caller.on('data', (bytes) => {
      received += bytes.toString();
      if (received.endsWith(end)) resolve();
    });
  });
  ask(connection, path);
  await isThere;
  return received.slice(0, 'HTTP/1.1 200'.length);
}

describe('limits of connections', () => {
  it.each(['/big', '/stream', '/late-big'])('ends one whose caller does not read %s', async (path) => {
    const open = await serve({ stallTimeoutMs: STALL_MS });
    const connection = await open();
    const ended = once(connection.served, 'close');
    connection.caller.pause();
    ask(connection, path);
    await ended;
    expect(connection.served.bytesWritten).toBeGreaterThan(0);
  });

  it('spares those who wait for an answer, and those who may ask again', async () => {
    const open = await serve({ stallTimeoutMs: STALL_MS });
    const patient = await open();
    expect(await answerOf(patient, '/late', 'late')).toBe('HTTP/1.1 200');
    const unread = await open();
    const ended = once(unread.served, 'close');
    unread.caller.pause();
    ask(unread, '/big');
    await ended;
    expect(await answerOf(patient, '/small', 'small')).toBe('HTTP/1.1 200');
  });

  it('lets who reads slowly have it all', async () => {
    // He takes longer than that for all, and rests for far less at a time.
    const open = await serve({ stallTimeoutMs: 2_000 });
    await undisturbed(500, async () => {
      const { caller } = await open();
      let isPaused = false;
      let readBefore = 0;
      caller.on('data', () => {
        if (isPaused || caller.bytesRead - readBefore < MIB) return;
        isPaused = true;
        readBefore = caller.bytesRead;
        caller.pause();
        void delay(100).then(() => {
          isPaused = false;
          caller.resume();
        });
      });
      const ended = once(caller, 'close');
      caller.write('GET /big HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
      await ended;
      expect(caller.bytesRead).toBeGreaterThan(BIG.length);
    });
  });

  it('turns away who comes when there are as many as there may be', async () => {
    const open = await serve({ maxConnections: 2 });
    const [first, second] = [await open(), await open()];
    const { port } = first.served.address() as AddressInfo;
    const third = connect(port, '127.0.0.1').on('error', () => undefined);
    onCleanup(() => void third.destroy());
    await once(third, 'close');
    expect(await answerOf(second, '/small', 'small')).toBe('HTTP/1.1 200');

    const left = once(first.served, 'close');
    first.caller.destroy();
    await left;
    expect(await answerOf(await open(), '/small', 'small')).toBe('HTTP/1.1 200');
  });

  it('turns away who has as many as one address may have, but no trusted proxy', async () => {
    const limits = { maxConnectionsPerAddress: 1, neighbours: [] };
    const open = await serve(limits);
    const first = await open();
    const second = await open();
    await once(second.caller, 'close');
    expect(await answerOf(first, '/small', 'small')).toBe('HTTP/1.1 200');
    const left = once(first.served, 'close');
    first.caller.destroy();
    await left;
    expect(await answerOf(await open(), '/small', 'small')).toBe('HTTP/1.1 200');

    const openByProxy = await serve({ ...limits, trustedProxies: ['127.0.0.0/8'] });
    const connections = [await openByProxy(), await openByProxy(), await openByProxy()];
    for (const each of connections) expect(await answerOf(each, '/small', 'small')).toBe('HTTP/1.1 200');
  });

  it('hear no request of a connection that was reset before it was accepted', async () => {
    const server = createAdapter().getInstance();
    const heardOf: (string | undefined)[] = [];
    server.addHook('onRequest', async ({ ip }) => void heardOf.push(ip));
    server.get('/small', () => 'small');
    await server.listen({ host: '127.0.0.1', port: 0 });
    onCleanup(() => server.close());
    const { port } = server.server.address() as AddressInfo;
    // This process accepts nothing before that one has ended.
    execFileSync(process.execPath, ['-e', SEND_AND_RESET, String(port)]);
    expect((await fetch(`http://127.0.0.1:${port}/small`)).status).toBe(200);
    expect(new Set(heardOf)).toEqual(new Set(['127.0.0.1']));
  });
});
