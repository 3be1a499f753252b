import { beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from '../../clients/typescript/src/index.js';
import { startSandbox } from '../../sandbox/sandbox.js';
import { EXAMPLES } from '../../src/platform/http/openapi/examples.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { eventually } from '../support/harness/eventually.js';
import { TestService } from '../support/harness/service.js';
import { ChangeStream } from '../support/http/change-stream.js';
import { openDatabase } from '../support/harness/database.js';

const FROM_THE_BEGINNING = {
  network: 'fuji',
  addresses: EXAMPLES.address,
  nodeIds: EXAMPLES.nodeId,
  cursor: 'p:0',
} as const;

const FIRST = 'http://first.example';

describe('streams of changes of several processes', () => {
  let first: TestService;
  let second: TestService;
  let nodeUrl: string;

  beforeAll(async () => {
    const sandbox = await startSandbox({ validators: 1, blockIntervalMs: 0 });
    onCleanup(() => sandbox.stop());
    nodeUrl = sandbox.url;
    first = await TestService.start({ nodeUrl, env: { LOG_LEVEL: 'warn' } });
    const { databaseUrl, temporalAddress } = first;
    second = await TestService.start({
      nodeUrl,
      databaseUrl,
      temporalAddress,
      workers: 0,
      env: { LOG_LEVEL: 'warn' },
    });
    const database = await openDatabase(databaseUrl);
    await eventually('both chains are indexed', async () => {
      const whole = await database.query<object[]>(
        `SELECT FROM index_progress WHERE chain IN ('p-chain', 'x-chain') AND height = tip_height AND height > 0`,
      );
      return whole.length === 2;
    });
  });

  it('go on at another process where one has been killed, and over it once it is back', async () => {
    const whole = await ChangeStream.open(second.url, FROM_THE_BEGINNING);
    // The next heartbeat.
    await eventually('all of it', () => whole.heartbeats > 0);
    expect(whole.events.length).toBeGreaterThan(50);
    const expected = whole.events.map(({ id, event, data }) => ({ cursor: id, event, data }));

    // As behind a name, whose address is another one after the restart.
    const client = createClient({
      baseUrl: FIRST,
      fetch: (url, init) => fetch(typeof url === 'string' ? url.replace(FIRST, first.url) : url, init),
    });
    const changes = client.changes(FROM_THE_BEGINNING);
    const followed: object[] = [];
    const take = async (count: number): Promise<void> => {
      while (followed.length < count) {
        const { value } = await changes.next();
        if (value === undefined) throw new Error('the changes have ended');
        followed.push(value);
      }
    };
    await take(10);
    await first.killApi();
    const at = followed.length;
    const { cursor } = followed.at(-1) as { cursor: string };
    const elsewhere = await ChangeStream.open(second.url, { ...FROM_THE_BEGINNING, cursor });
    await elsewhere.until(expected.length - at);
    expect(elsewhere.events.map(({ id, event, data }) => ({ cursor: id, event, data }))).toEqual(
      expected.slice(at),
    );

    await first.restartApi();
    await take(expected.length);
    await changes.return();
    expect(followed).toEqual(expected);
  });

  it('end with the process that has them, and not by being cut off', async () => {
    const { databaseUrl, temporalAddress } = first;
    const third = await TestService.start({
      nodeUrl,
      databaseUrl,
      temporalAddress,
      workers: 0,
      env: { LOG_LEVEL: 'warn' },
    });
    const stream = await ChangeStream.open(third.url, FROM_THE_BEGINNING);
    await third.killApi('SIGTERM');
    await eventually('its end', () => stream.hasEnded);
    expect(stream.failure).toBeUndefined();
  });
});
