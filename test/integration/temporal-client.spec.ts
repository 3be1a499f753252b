import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { TemporalClient } from '../../src/platform/temporal/temporal.module.js';
import { eventually } from '../support/harness/eventually.js';

const CALL_TIMEOUT_MS = 300;

/** A server that takes connections and sends nothing. */
describe(TemporalClient.name, () => {
  const sockets = new Set<Socket>();
  let server: Server;
  let temporal: TemporalClient;

  beforeEach(async () => {
    server = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    temporal = new TemporalClient({ address: `127.0.0.1:${port}` }, 'default');
    temporal.callTimeoutMs = CALL_TIMEOUT_MS;
  });

  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    server.close();
  });

  const ask = () => temporal.call(({ workflow }) => workflow.count('ExecutionStatus = "Running"'));

  it('closes once what is under way has ended', async () => {
    const order: string[] = [];
    const call = ask().catch((error: unknown) => {
      order.push('call');
      return error;
    });
    await once(server, 'connection');
    await temporal.onApplicationShutdown().then(() => order.push('closed'));
    expect(await call).toMatchObject({ statusCode: 503 });
    expect(order).toEqual(['call', 'closed']);
  });

  it('breaks off a wait for a result, however long that would be', async () => {
    const wait = temporal.wait(600_000, new AbortController().signal, () =>
      temporal.client.workflow.getHandle('nothing').result(),
    );
    const failure = expect(wait).rejects.toThrow();
    await once(server, 'connection');
    await temporal.onApplicationShutdown();
    await failure;
  });

  it('keeps nothing of a wait that is over', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage: unknown = runInNewContext('gc');
    if (typeof collectGarbage !== 'function') throw new Error('no garbage collector');
    const signals: WeakRef<AbortSignal>[] = [];
    Object.assign(temporal.client.connection, {
      withAbortSignal: <T>(signal: AbortSignal, request: () => Promise<T>): Promise<T> => {
        // As the SDK does it with every call, for good.
        signal.addEventListener('abort', () => undefined);
        signals.push(new WeakRef(signal));
        return request();
      },
    });
    const caller = new AbortController();
    for (const _ of [1, 2]) await temporal.wait(1_000, caller.signal, () => Promise.resolve());
    expect(signals).toHaveLength(2);
    await eventually('the signals of both waits are gone', () => {
      Reflect.apply(collectGarbage, undefined, []);
      return signals.every((signal) => signal.deref() === undefined);
    });
    expect(caller.signal.aborted).toBe(false);
  });

  it('takes no further call', async () => {
    await temporal.onApplicationShutdown();
    await expect(ask()).rejects.toMatchObject({ statusCode: 503 });
    expect(sockets.size).toBe(0);
  });
});
