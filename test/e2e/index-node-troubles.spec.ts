import { beforeAll, describe, expect, it } from '@jest/globals';
import type { PChainBehaviourInput, Sandbox } from '../../sandbox/sandbox.js';
import { TestService } from '../support/harness/service.js';
import {
  above,
  BLOCKS,
  CHAINS,
  heightOf,
  IndexedChains,
  indexHealth,
  INDEXING_ENV,
  type IndexPart,
  signal,
  SLOW,
  told,
} from '../support/p-chain/indexed-chains.js';
import { peersSetting } from '../support/p2p/connect-to.js';
import { NODE_FAILURES } from '../support/indexer.js';
import { WITHOUT_INDEX_API } from '../support/p-chain/p-chain-index.js';
import { eventually } from '../support/harness/eventually.js';
import { openDatabase } from '../support/harness/database.js';

function setChains(node: Sandbox, behaviour: PChainBehaviourInput): void {
  node.setPChainBehaviour(behaviour);
  node.setXChainBehaviour(behaviour);
}

/** Both chains of one node, each by an index of its own. */
describe('the indexes of a P-chain and an X-chain', () => {
  let chains: IndexedChains;

  beforeAll(async () => {
    chains = await IndexedChains.generate();
  });

  it('wait for a node that is too busy, silent or gone, report why, and then go on', async () => {
    const node = await chains.startNode();
    const service = await TestService.start({ nodeUrl: node.url, env: INDEXING_ENV });
    const database = await openDatabase(service.databaseUrl);
    for (const [trouble, reason] of [
      ['tooManyRequests', /HTTP 429/],
      ['silent', /no complete answer/],
      ['empty', /node 1 is behind the index: height 0 < \d+/],
    ] as const) {
      const height = await heightOf(database);
      await above(database, height + 100);
      if (trouble === 'empty') setChains(node, { kind: 'empty' });
      else node.setNodeBehaviour(NODE_FAILURES[trouble]);
      // One that has enough is waited for, and only then complained about.
      const isReported = ({ state, message = '' }: IndexPart): boolean =>
        state === 'waiting' && reason.test(message);
      await told(trouble, service, isReported);
      setChains(node, { kind: 'honest' });
      node.setNodeBehaviour(SLOW);
    }
    await chains.finish(database, node);
  }); // two of the three are borne for half a minute before anybody complains, and avoided as long after it

  it('go on from the validators on the P-chain when the node is gone', async () => {
    const node = await chains.startNode();
    const peers = peersSetting(node.validators).join(',');
    const service = await TestService.start({
      nodeUrl: node.url,
      env: { ...INDEXING_ENV, WORKER_QUEUES: 'indexing,signatures', FUJI_PEERS: peers },
    });
    const database = await openDatabase(service.databaseUrl);
    await above(database, 20);
    const areConnected = (): boolean => node.validators.every(({ counters }) => counters.handshakes > 0);
    await eventually('the validators are connected', areConnected);
    node.setNodeBehaviour(NODE_FAILURES.unavailable);
    const pChain = async (): Promise<IndexPart | undefined> => (await indexHealth(service))[0];
    await eventually('its last block', async () => (await pChain())?.height === `${BLOCKS - 1}`);
    expect(node.validators.some(({ counters }) => counters.containers > 0)).toBe(true);
    await chains.finish(database, node);
  });

  it('stop with an alarm at a block that cannot be read, and go on when the node is mended', async () => {
    const node = await chains.startNode();
    setChains(node, { kind: 'replaced', height: 700, bytes: '03'.repeat(64) });
    const service = await TestService.start({ nodeUrl: node.url, env: INDEXING_ENV });
    const database = await openDatabase(service.databaseUrl);
    node.setNodeBehaviour(WITHOUT_INDEX_API);
    await told('of the stop', service, ({ state }) => state === 'stopped');
    for (const part of await indexHealth(service)) {
      expect(part?.message).toMatch(/^MALFORMED: node 1: /);
    }
    // Callers are not shown where nodes stand; the log of the worker does.
    const shown = await Promise.all(
      ['health-check', 'status'].map((path) => fetch(`${service.url}/v1/${path}`)),
    );
    for (const answer of shown) expect(await answer.text()).not.toContain(new URL(node.url).host);
    expect(service.workers[0]?.output).toContain(new URL(node.url).host);
    expect(await database.query('SELECT height FROM index_checkpoints')).toEqual(
      CHAINS.map(() => ({ height: '699' })),
    );
    for (const chain of CHAINS) {
      await service.workers[0]?.waitForOutput(
        new RegExp(`"level":"error".*the index ${chain} of fuji has stopped`),
      );
    }
    setChains(node, { kind: 'honest' });
    await signal(service, 'resume');
    await chains.finish(database, node);
  });
});
