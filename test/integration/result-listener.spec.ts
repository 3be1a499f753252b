import { afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Config } from '../../src/platform/config/config.module.js';
import { parseEnv } from '../../src/platform/config/env.schema.js';
import { ResultListener } from '../../src/resources/signature-aggregator/record/result-listener.js';
import { AGGREGATED_SIGNATURES_CHANNEL } from '../../src/resources/signature-aggregator/store/signature.repository.js';
import { eventually } from '../support/harness/eventually.js';
import { startPostgresForTest } from '../support/harness/services.js';

describe(ResultListener.name, () => {
  let listener: ResultListener | undefined;

  afterEach(() => listener?.onApplicationShutdown());

  const notify = async (url: string, key: string) => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    await client.query('SELECT pg_notify($1, $2)', [AGGREGATED_SIGNATURES_CHANNEL, key]);
    await client.end();
  };

  it('wakes who waits for a key, again after a restart of Postgres, and survives its absence', async () => {
    const postgres = await startPostgresForTest();
    listener = new ResultListener(new Config(parseEnv({ DATABASE_URL: postgres.url })));
    await listener.onApplicationBootstrap();
    const [first, second] = [listener.waitFor('fuji:aa'), listener.waitFor('fuji:aa')];
    await notify(postgres.url, 'fuji:bb');
    await notify(postgres.url, 'fuji:aa');
    expect(await Promise.all([first.promise, second.promise])).toEqual(['saved', 'saved']);
    first.cancel();
    second.cancel();

    await postgres.kill();
    await postgres.start();
    const third = listener.waitFor('fuji:cc');
    let isSaved = false;
    void third.promise.then(() => (isSaved = true));
    await eventually('it listens again', async () => {
      await notify(postgres.url, 'fuji:cc');
      return isSaved;
    });
  });
});
