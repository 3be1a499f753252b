import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/harness/eventually.js';
import { openDatabase } from '../support/harness/database.js';
import { TestService } from '../support/harness/service.js';
import { startPostgresForTest, startTemporalForTest } from '../support/harness/services.js';
import {
  above,
  heightOf,
  IndexedChains,
  INDEXING_ENV,
  pendingActivities,
  signal,
  told,
} from '../support/p-chain/indexed-chains.js';

/** Both chains of one node, each by an index of its own. */
describe('the indexes of a P-chain and an X-chain', () => {
  let chains: IndexedChains;

  beforeAll(async () => {
    chains = await IndexedChains.generate();
  });

  it('go on from what is on record after kill -9 and restart of Postgres', async () => {
    const postgres = await startPostgresForTest();
    const node = await chains.startNode();
    await TestService.start({ nodeUrl: node.url, env: INDEXING_ENV, databaseUrl: postgres.url });
    const database = await openDatabase(postgres.url);
    for (const height of [200, 600]) {
      await above(database, height);
      await postgres.kill();
      await postgres.start();
    }
    await chains.finish(database, node);
  });

  it('go on after kill -9 and restart of Temporal', async () => {
    const temporal = await startTemporalForTest();
    const node = await chains.startNode();
    const { databaseUrl } = await TestService.start({
      nodeUrl: node.url,
      env: INDEXING_ENV,
      temporalAddress: temporal.address,
    });
    const database = await openDatabase(databaseUrl);
    await above(database, 300);
    await temporal.kill();
    await temporal.start();
    await chains.finish(database, node);
  });

  it('pause, go on and begin anew by signals', async () => {
    const node = await chains.startNode();
    const service = await TestService.start({ nodeUrl: node.url, env: INDEXING_ENV });
    const database = await openDatabase(service.databaseUrl);
    await above(database, 200);
    await signal(service, 'pause');
    await told('of the pause', service, ({ state }) => state === 'paused');
    // Nothing else writes blocks.
    expect(await pendingActivities(service)).toEqual([]);
    const height = await heightOf(database);
    await signal(service, 'resume');
    await above(database, height + 100);
    await signal(service, 'reindex');
    await eventually('it started over', async () => (await heightOf(database)) < height);
    await chains.finish(database, node);
  });
});
