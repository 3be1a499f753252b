import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import {
  type GeneratedBlock,
  localGenesis,
  PChainGenerator,
} from '../../sandbox/generated/p-chain-generator.js';
import type { ChainBehaviourInput } from '../../sandbox/chain-behaviour.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import {
  advanceBriefly,
  advanceToTip,
  checkpointOf,
  digestTables,
  NODE_FAILURES,
  type TestIndexer,
  workUntil,
} from '../support/indexer.js';
import { connectTo, peersSetting } from '../support/p2p/connect-to.js';
import { createIndexer, startPChain } from '../support/p-chain/p-chain-index.js';

const BLOCKS = 300;
/** Read from the node before it goes away. */
const BEGUN = 20;
const VALIDATORS = 12;

describe('the index of the P-chain while no node can be used', () => {
  let blocks: GeneratedBlock[];
  let expected: Record<string, string>;

  beforeAll(async () => {
    blocks = new PChainGenerator(await localGenesis()).take(BLOCKS);
    const database = await createMigratedDatabase();
    const node = await startPChain(blocks);
    await advanceToTip(createIndexer(database, [node.url]).indexer);
    expected = await digestTables(database);
  });

  /** An index that has begun at a node, which answers nothing any more. */
  const begin = async (
    ancestorsPerAnswer = 2_000,
  ): Promise<{ sandbox: Sandbox; database: DataSource; again: () => TestIndexer }> => {
    const sandbox = await startPChain(blocks, { validators: VALIDATORS, ancestorsPerAnswer });
    const database = await createMigratedDatabase();
    sandbox.setPChainBehaviour({ kind: 'tip', height: BEGUN });
    await advanceToTip(createIndexer(database, [sandbox.url]).indexer);
    sandbox.setPChainBehaviour({ kind: 'honest' });
    sandbox.setNodeBehaviour(NODE_FAILURES.unavailable);
    const peers = await connectTo(sandbox.validators);
    const config = {
      sandbox: true,
      peers: peersSetting(sandbox.validators),
    };
    const again = () =>
      createIndexer(database, [sandbox.url], { validators: { peers: () => peers, config } });
    return { sandbox, database, again };
  };

  const misbehave = (sandbox: Sandbox, count: number, behaviour: ChainBehaviourInput): string[] =>
    sandbox.validators.slice(0, count).map((validator) => {
      validator.setChainBehaviour(behaviour);
      return validator.nodeId;
    });

  it('goes on from the validators, with the same rows', async () => {
    const { database, again } = await begin();
    await workUntil(again().indexer, BLOCKS - 1);
    expect(await digestTables(database)).toEqual(expected);
  });

  it('goes on with another process from wherever the first one was', async () => {
    const { database, again } = await begin(7);
    await workUntil(again().indexer, BEGUN + 1);
    await workUntil(again().indexer, BLOCKS - 1);
    expect(await digestTables(database)).toEqual(expected);
  });

  it.each<ChainBehaviourInput>([
    'silent',
    'empty',
    'broken-link',
    'forged',
    'changed-signature',
    'endless',
    'lying-frontier',
    { kind: 'stale', lagBlocks: 200 },
    { kind: 'slow', delayMs: 300 },
    { kind: 'throttled', everyMs: 1_000 },
    { kind: 'hole', fromHeight: 50, toHeight: 250 },
  ])(
    'goes on, with nothing wrong written, when a third of the validators misbehave: %j',
    async (behaviour) => {
      const { sandbox, database, again } = await begin(25);
      const liars = misbehave(sandbox, VALIDATORS / 3, behaviour);
      const index = again();
      await workUntil(index.indexer, BLOCKS - 1);
      expect(await digestTables(database)).toEqual(expected);
      const named = index.warnings.filter((text) => text.startsWith('NodeID-'));
      expect(named.filter((text) => !liars.some((nodeId) => text.startsWith(nodeId)))).toEqual([]);
    },
  );

  it('waits, and reports why, while too many lie or are silent', async () => {
    const { sandbox, database, again } = await begin();
    misbehave(sandbox, VALIDATORS / 3 + 1, 'silent');
    const { indexer } = again();
    await expect(advanceBriefly(indexer, 1_000)).rejects.toMatchObject({ code: 'NO_USABLE_NODE' });
    misbehave(sandbox, VALIDATORS, 'lying-frontier');
    await advanceBriefly(indexer, 1_000).catch(() => undefined);
    expect(await checkpointOf(database)).toBe(BEGUN);
    misbehave(sandbox, VALIDATORS, 'honest');
    await workUntil(again().indexer, BLOCKS - 1);
    expect(await digestTables(database)).toEqual(expected);
  });
});
