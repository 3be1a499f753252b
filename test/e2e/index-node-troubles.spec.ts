import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { TestService } from '../support/harness/service.js';
import {
  above,
  CHAINS,
  heightOf,
  IndexedChains,
  indexHealth,
  INDEXING_ENV,
  type IndexPart,
  PATIENCE_MS,
  signal,
  told,
} from '../support/p-chain/indexed-chains.js';
import { openDatabase } from '../support/harness/database.js';

jest.setTimeout(3 * PATIENCE_MS);

/** Both chains of one node, each by an index of its own. */
describe('the indexes of a P-chain and an X-chain', () => {
  let chains: IndexedChains;

  beforeAll(async () => {
    chains = await IndexedChains.generate();
  });

  it('wait for a node that is too busy, silent or gone, say why, and then go on', async () => {
    const node = await chains.startNode();
    const service = await TestService.start({ nodeUrl: node.url, env: INDEXING_ENV });
    const database = await openDatabase(service.databaseUrl);
    for (const [mood, reason] of [
      ['tooManyRequests', /HTTP 429/],
      ['silent', /no complete answer/],
      ['empty', /node is behind the index: height 0 < \d+/],
    ] as const) {
      const height = await heightOf(database);
      await above(database, height + 100);
      node.mood = mood;
      if (mood === 'empty' && node.xChain !== undefined) node.xChain.mood = mood;
      // One that has enough is waited for, and only then complained about.
      const isTold = ({ state, message = '' }: IndexPart): boolean =>
        state === 'waiting' && reason.test(message);
      await told(mood, service, isTold);
      node.mood = 'honest';
      if (node.xChain !== undefined) node.xChain.mood = 'honest';
    }
    await chains.finish(database, node);
  }); // two of the three are borne for half a minute before anybody complains, and avoided as long after it

  it('stop with an alarm at a block that cannot be read, and go on when the node is mended', async () => {
    const node = await chains.startNode();
    const replaced = [node.replaced, node.xChain?.replaced];
    for (const blocksOf of replaced) blocksOf?.set(700, new Uint8Array(64).fill(3));
    const service = await TestService.start({ nodeUrl: node.url, env: INDEXING_ENV });
    const database = await openDatabase(service.databaseUrl);
    node.delayMs = 0;
    await told('of the stop', service, ({ state }) => state === 'stopped');
    for (const part of await indexHealth(service)) {
      expect(part?.message).toMatch(/^MALFORMED: 127\.0\.0\.1:\d+: /);
    }
    expect(await database.query('SELECT height FROM index_checkpoints')).toEqual(
      CHAINS.map(() => ({ height: '699' })),
    );
    for (const chain of CHAINS) {
      expect(service.workers[0]?.output).toMatch(
        new RegExp(`"level":"error".*the index ${chain} of fuji has stopped`),
      );
    }
    for (const blocksOf of replaced) blocksOf?.clear();
    await signal(service, 'resume');
    await chains.finish(database, node);
  });
});
