import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/harness/eventually.js';
import { withoutNode } from '../support/p2p/connect-to.js';
import { TestService } from '../support/harness/service.js';
import {
  above,
  BLOCKS,
  heightOf,
  IndexedChains,
  INDEXING_ENV,
  told,
} from '../support/p-chain/indexed-chains.js';
import { openDatabase } from '../support/harness/database.js';

/** Both chains of one node, each by an index of its own. */
describe('the indexes of a P-chain and an X-chain', () => {
  let chains: IndexedChains;

  beforeAll(async () => {
    chains = await IndexedChains.generate();
  });

  it('lose and double nothing when the worker is killed again and again in the middle of batches', async () => {
    const node = await chains.startNode();
    const service = await TestService.start({ nodeUrl: node.url, env: INDEXING_ENV });
    const database = await openDatabase(service.databaseUrl);
    for (const height of [100, 300, 500, 700]) {
      await above(database, height);
      await service.workers.at(-1)?.kill('SIGKILL');
      await service.startWorker();
    }
    await chains.finish(database, node);
    await told(
      'the tip',
      service,
      ({ state, height, tip }) => state === 'running' && height === String(BLOCKS - 1) && tip === height,
    );
  });

  it('are read from the validators alone although the worker is killed while it fetches, twice', async () => {
    const sandbox = await chains.startValidators();
    const service = await TestService.start({
      nodeUrl: '',
      env: { ...INDEXING_ENV, ...withoutNode(sandbox.validators) },
    });
    const database = await openDatabase(service.databaseUrl);
    const fetched = (): number =>
      sandbox.validators.reduce((sum, { counters }) => sum + counters.containers, 0);
    for (const blocks of [BLOCKS / 2, BLOCKS]) {
      await eventually('blocks are being fetched', () => fetched() > blocks);
      await service.workers.at(-1)?.kill('SIGKILL');
      expect(await heightOf(database)).toBeLessThan(BLOCKS - 1);
      await service.startWorker();
    }
    await chains.untilWhole(database);
    expect(sandbox.calls).toEqual({});
  });

  it('are written by one of two workers, and by the other one when it is killed', async () => {
    const node = await chains.startNode();
    const service = await TestService.start({ nodeUrl: node.url, env: INDEXING_ENV, workers: 2 });
    const database = await openDatabase(service.databaseUrl);
    await above(database, 300);
    await service.workers[0]?.kill('SIGKILL');
    await above(database, 600);
    await service.startWorker();
    await service.workers[1]?.kill('SIGKILL');
    await chains.finish(database, node);
  });
});
