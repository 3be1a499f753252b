import { beforeAll, describe, expect, it } from '@jest/globals';
import { from as copyFrom } from 'pg-copy-streams';
import { DataSource } from 'typeorm';
import { Database } from '../../src/platform/database/database.js';
import { IndexError } from '../../src/indexes/engine/following/index.error.js';
import { withIndexLock } from '../../src/indexes/engine/following/index-lock.js';
import { eventually } from '../support/harness/eventually.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { createTestDatabase } from '../support/harness/services.js';
import { patientDataSource } from '../support/harness/data-source-options.js';

const PLACE = { network: 'fuji', chain: 'p-chain' } as const;
/** Of who is to stand still; before that he may be slow. */
const IDLE_TRANSACTION_TIMEOUT_MS = 5_000;

describe(withIndexLock.name, () => {
  let url: string;

  beforeAll(async () => {
    url = (await createTestDatabase()).url;
  });

  const connect = async (limits: { idleTransactionTimeoutMs?: number } = {}): Promise<Database> => {
    const options = { url, poolSize: 1, ...limits };
    const dataSource = await new DataSource(patientDataSource(options)).initialize();
    onCleanup(() => dataSource.destroy());
    return new Database(dataSource);
  };

  it('lets a successor write after a writer that stands still, which can commit nothing when it wakes up', async () => {
    const paused = await connect({ idleTransactionTimeoutMs: IDLE_TRANSACTION_TIMEOUT_MS });
    const successor = await connect();
    await successor.execute({ text: 'CREATE TABLE written (by text)', values: [] });
    const write = (by: string) => ({ text: 'INSERT INTO written VALUES ($1)', values: [by] });
    let fallAsleep = (): void => undefined;
    const asleep = new Promise<void>((resolve) => (fallAsleep = resolve));
    let wakeUp = (): void => undefined;
    const awake = new Promise<void>((resolve) => (wakeUp = resolve));
    const pausedWrite = withIndexLock(paused, PLACE, async (transaction) => {
      await transaction.execute(write('paused'));
      fallAsleep();
      await awake;
      await transaction.execute(write('paused'));
    });
    await Promise.race([asleep, pausedWrite]);
    await withIndexLock(successor, PLACE, (transaction) => transaction.execute(write('successor')));
    wakeUp();
    await expect(pausedWrite).rejects.toThrow();
    expect(await successor.query({ text: 'SELECT by FROM written', values: [] })).toEqual([
      { by: 'successor' },
    ]);
  });

  it('ends a writer that stands still while it sends rows, once its batch is overdue', async () => {
    const [paused, successor] = await Promise.all([connect(), connect()]);
    await successor.execute({ text: 'CREATE TABLE copied (by text)', values: [] });
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const pausedWrite = withIndexLock(paused, PLACE, async ({ connection }) => {
      const copy = connection.query(copyFrom('COPY copied FROM STDIN'));
      copy.write('paused\n');
      begin();
      await new Promise((_, reject) => copy.once('error', reject));
    });
    const failure = expect(pausedWrite).rejects.toThrow();
    await begun;
    const write = () =>
      withIndexLock(
        successor,
        PLACE,
        (transaction) => transaction.execute({ text: "INSERT INTO copied VALUES ('successor')", values: [] }),
        { lockTimeoutMs: 1_500, hungCopySeconds: 1 },
      );
    await expect(write()).rejects.toMatchObject({ code: 'OTHER_WRITER' });
    await eventually('the lock is free', async () => {
      try {
        return (await write()) === 1;
      } catch (error) {
        if (error instanceof IndexError && error.code === 'OTHER_WRITER') return false;
        throw error;
      }
    });
    await failure;
    expect(await successor.query({ text: 'SELECT by FROM copied', values: [] })).toEqual([
      { by: 'successor' },
    ]);
  });
});
