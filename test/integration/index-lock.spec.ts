import { beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { Database } from '../../src/database/database.js';
import { dataSourceOptions } from '../../src/database/data-source.js';
import { withIndexLock } from '../../src/indexing/index-lock.js';
import { createTestDatabase, onCleanup } from '../support/harness/services.js';

const PLACE = { network: 'fuji', chain: 'p-chain' } as const;
const IDLE_TRANSACTION_TIMEOUT_MS = 300;

describe(withIndexLock, () => {
  let url: string;

  beforeAll(async () => {
    url = (await createTestDatabase()).url;
  });

  const connect = async (): Promise<Database> => {
    const options = { url, poolSize: 1, idleTransactionTimeoutMs: IDLE_TRANSACTION_TIMEOUT_MS };
    const dataSource = await new DataSource(dataSourceOptions(options)).initialize();
    onCleanup(() => dataSource.destroy());
    return new Database(dataSource);
  };

  it('lets a successor write after a writer that stands still, which can commit nothing when it wakes up', async () => {
    const [paused, successor] = await Promise.all([connect(), connect()]);
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
    await asleep;
    await withIndexLock(successor, PLACE, (transaction) => transaction.execute(write('successor')));
    wakeUp();
    await expect(pausedWrite).rejects.toThrow();
    expect(await successor.query({ text: 'SELECT by FROM written', values: [] })).toEqual([
      { by: 'successor' },
    ]);
  });
});
