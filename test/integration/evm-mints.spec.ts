import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { ZERO_ADDRESS } from '../../src/avalanche/evm/rpc/hex-values.js';
import { advanceToEnd, advanceUntilDone, createEvmIndex, rangesOf } from '../support/evm/evm-index.js';
import { advanceBriefly } from '../support/indexer.js';
import { eventually } from '../support/harness/eventually.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import {
  ALICE,
  BOB,
  CAROL,
  createOnPChain,
  GENESIS,
  L1,
  startMintingL1,
  TIP,
} from '../support/evm/minting-l1.js';
import { movementsOnRecord } from '../support/evm/movements-on-record.js';
import { createMigratedDatabase } from '../support/harness/database.js';

describe('native coins of an L1 that no transaction moves', () => {
  let node: Sandbox;

  beforeAll(async () => {
    node = await startMintingL1();
  });

  const indexOf = (database: DataSource, batchBlocks = 50) =>
    createEvmIndex(database, [node.cChainUrl], { chain: L1, batchBlocks });

  const mintsIn = async (database: DataSource) => {
    const mints = (await movementsOnRecord(database)).filter(({ kind }) => kind === 'MINT');
    return mints.map(({ height, txIndex, txHash, tracePath, from, to, amount }) => ({
      height,
      txIndex,
      isOfTransaction: txHash !== null,
      tracePath,
      from,
      to,
      amount,
    }));
  };

  const ofBlock = { txIndex: -1, isOfTransaction: false, tracePath: null };
  const ALLOCATED = { height: 0n, ...ofBlock, from: ZERO_ADDRESS, to: BOB, amount: 9n };
  const BY_RULES = [
    { height: 10n, ...ofBlock, from: ZERO_ADDRESS, to: ALICE, amount: 100n },
    { height: 20n, ...ofBlock, from: ALICE, to: ZERO_ADDRESS, amount: 1n },
  ];
  const BY_CALL = {
    height: 15n,
    txIndex: 0,
    isOfTransaction: true,
    tracePath: '',
    from: ZERO_ADDRESS,
    to: CAROL,
    amount: 5n,
  };
  const ALL = [ALLOCATED, BY_RULES[0], BY_CALL, BY_RULES[1]];

  it.each([1, 7, 50])(
    'are rows of the blocks that they come with, read %d blocks at a time',
    async (size) => {
      const database = await createMigratedDatabase();
      await createOnPChain(database, GENESIS);
      const index = indexOf(database, size);
      await advanceToEnd(index);
      expect(await rangesOf(database, 'base', L1.chainId)).toEqual([`0-${TIP}`]);
      expect(await mintsIn(database)).toEqual(ALL);
      expect(index.warnings).toEqual([]);
    },
  );

  it('are the same when the blocks are filled in from the tip downwards', async () => {
    const database = await createMigratedDatabase();
    await createOnPChain(database, GENESIS);
    const fromTip = createEvmIndex(database, [node.cChainUrl], { chain: { ...L1, startHeight: 'tip' } });
    await advanceUntilDone(fromTip.follower);
    await advanceToEnd(indexOf(database, 7));
    expect(await mintsIn(database)).toEqual(ALL);
  });

  it('come with the genesis as soon as the index of the P-chain has the creation, which is reported until then', async () => {
    const database = await createMigratedDatabase();
    const index = indexOf(database);
    await advanceToEnd(index);
    expect(await rangesOf(database, 'base', L1.chainId)).toEqual([`1-${TIP}`]);
    expect(await mintsIn(database)).toEqual(ALL.slice(1));
    expect(await advanceBriefly(index.base)).toMatchObject({
      state: 'running',
      message: "block 0 waits for the chain's creation in the index of the P-chain",
    });
    await createOnPChain(database, GENESIS);
    await eventually('the genesis', async () => {
      await advanceBriefly(index.base);
      return (await rangesOf(database, 'base', L1.chainId)).join() === `0-${TIP}`;
    });
    expect(await mintsIn(database)).toEqual(ALL);
    expect(await advanceBriefly(index.base)).toMatchObject({ message: null });
  });

  it('are left out where the creation of the L1 has nothing that can be read', async () => {
    const database = await createMigratedDatabase();
    await createOnPChain(database, [GENESIS]);
    await advanceToEnd(indexOf(database));
    expect(await rangesOf(database, 'base', L1.chainId)).toEqual([`0-${TIP}`]);
    expect(await mintsIn(database)).toEqual(ALL.slice(1));
  });

  it('are left out, with a warning, when the nodes do not report the rules', async () => {
    const database = await createMigratedDatabase();
    await createOnPChain(database, GENESIS);
    node.setNodeBehaviour({ without: ['eth_getChainConfig'] });
    try {
      const index = indexOf(database);
      await advanceToEnd(index);
      expect(await mintsIn(database)).toEqual([ALLOCATED]);
      expect(index.warnings).toEqual([
        `${node.host} does not tell the chain's upgrades: native coins that they give are left out`,
      ]);
    } finally {
      node.setNodeBehaviour({});
    }
  });
});
