import { describe, expect, it } from '@jest/globals';
import { eventually } from '../support/harness/eventually.js';
import { localGenesis, PChainGenerator } from '../support/p-chain/p-chain-generator.js';
import { advanceBriefly, advanceToTip, digestTables } from '../support/indexer.js';
import { createIndexer, startFakeNode } from '../support/p-chain/p-chain-index.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { xGenesis, XChainGenerator } from '../support/x-chain/x-chain-generator.js';
import { createXIndexer, startFakeXNode } from '../support/x-chain/x-chain-index.js';

const BLOCKS = 60;
const GIVEN = 40;
const ANNOUNCED = 50;

const CHAINS = {
  P: {
    create: createIndexer,
    start: async () => startFakeNode(new PChainGenerator(await localGenesis()).take(BLOCKS)),
  },
  X: {
    create: createXIndexer,
    start: async () => {
      const genesis = await xGenesis();
      return startFakeXNode(genesis, new XChainGenerator(genesis).take(BLOCKS));
    },
  },
};

describe.each(['P', 'X'] as const)(
  'the index of the %s-chain, with a node behind an address late',
  (name) => {
    const { create, start } = CHAINS[name];

    it('waits for the blocks that another one announced, and keeps what came before', async () => {
      const [database, expected] = [await createMigratedDatabase(), await createMigratedDatabase()];
      const node = await start();
      await advanceToTip(create(expected, [node.url]).indexer);
      node.tip = ANNOUNCED;
      node.gives = GIVEN;
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
      node.gives = Infinity;
      node.tip = BLOCKS - 1;
      await advanceToTip(indexer);
      expect(await digestTables(database)).toEqual(await digestTables(expected));
    });

    it('waits, and says so, when it is the one that is asked for the last block on record', async () => {
      const database = await createMigratedDatabase();
      const node = await start();
      node.tip = GIVEN;
      await advanceToTip(create(database, [node.url]).indexer);
      node.gives = GIVEN - 1;
      await expect(advanceBriefly(create(database, [node.url]).indexer)).resolves.toMatchObject({
        state: 'waiting',
        height: BigInt(GIVEN),
        message: expect.stringContaining(`block at height ${GIVEN}: not found`),
      });
    });
  },
);
