import { describe, expect, it } from '@jest/globals';
import type { PChainBehaviourInput, Sandbox } from '../../sandbox/sandbox.js';
import { eventually } from '../support/harness/eventually.js';
import { localGenesis, PChainGenerator } from '../../sandbox/generated/p-chain-generator.js';
import { advanceBriefly, advanceToTip, digestTables } from '../support/indexer.js';
import { createIndexer, startPChain } from '../support/p-chain/p-chain-index.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { xGenesis, XChainGenerator } from '../../sandbox/generated/x-chain-generator.js';
import { createXIndexer, startXChain } from '../support/x-chain/x-chain-index.js';

const BLOCKS = 60;
const GIVEN = 40;
const ANNOUNCED = 50;

const CHAINS = {
  P: {
    create: createIndexer,
    behave: (node: Sandbox, behaviour: PChainBehaviourInput) => node.setPChainBehaviour(behaviour),
    start: async () => startPChain(new PChainGenerator(await localGenesis()).take(BLOCKS)),
  },
  X: {
    create: createXIndexer,
    behave: (node: Sandbox, behaviour: PChainBehaviourInput) => node.setXChainBehaviour(behaviour),
    start: async () => {
      const genesis = await xGenesis();
      return startXChain(genesis, new XChainGenerator(genesis).take(BLOCKS));
    },
  },
};

describe.each(['P', 'X'] as const)(
  'the index of the %s-chain, with a node behind an address late',
  (name) => {
    const { create, start, behave } = CHAINS[name];

    it('waits for the blocks that another one announced, and keeps what came before', async () => {
      const [database, expected] = [await createMigratedDatabase(), await createMigratedDatabase()];
      const node = await start();
      await advanceToTip(create(expected, [node.url]).indexer);
      behave(node, { kind: 'late', height: ANNOUNCED, gives: GIVEN });
      const { indexer, warnings } = create(database, [node.url]);
      await eventually('what came before', async () => {
        const { state, height, tip } = await advanceBriefly(indexer);
        expect([state, tip]).toEqual(['running', BigInt(ANNOUNCED)]);
        return height === BigInt(GIVEN);
      });
      await expect(advanceBriefly(indexer)).resolves.toMatchObject({
        state: 'running',
        height: BigInt(GIVEN),
      });
      expect(warnings.filter((text) => text.includes('not found'))).toEqual([]);
      behave(node, { kind: 'honest' });
      await advanceToTip(indexer);
      expect(await digestTables(database)).toEqual(await digestTables(expected));
    });

    it('waits, and reports it, when it is the one that is asked for the last block on record', async () => {
      const database = await createMigratedDatabase();
      const node = await start();
      behave(node, { kind: 'tip', height: GIVEN });
      await advanceToTip(create(database, [node.url]).indexer);
      behave(node, { kind: 'late', height: GIVEN, gives: GIVEN - 1 });
      await expect(advanceBriefly(create(database, [node.url]).indexer)).resolves.toMatchObject({
        state: 'waiting',
        height: BigInt(GIVEN),
        message: expect.stringContaining(`block at height ${GIVEN}: not found`),
      });
    });
  },
);
