import { beforeAll, describe, expect, it } from '@jest/globals';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString, idToString } from '../../src/avalanche/ids/id.js';
import { type GeneratedEvmBlock, generateEvmChain } from '../support/evm/evm-chain-generator.js';
import {
  advanceToEnd,
  advanceUntilDone,
  createEvmIndex,
  rangesOf,
  startFakeEvmChain,
  TEST_CHAIN,
} from '../support/evm/evm-index.js';
import { advanceBriefly } from '../support/indexer.js';
import type { FakeEvmChainNode } from '../support/evm/fake-evm-chain-node.js';
import { createMigratedDatabase } from '../support/harness/database.js';

const TIP = 299;
/** That many blocks are traced at the same time. */
const TRACED_AT_ONCE = 4;
const OTHER_ID = 'ab'.repeat(32);

describe('the choice among several nodes of an EVM chain', () => {
  let blocks: GeneratedEvmBlock[];

  beforeAll(() => {
    blocks = generateEvmChain({ blocks: TIP + 1 });
  });

  const startNodes = async (): Promise<[FakeEvmChainNode, FakeEvmChainNode]> => [
    await startFakeEvmChain(blocks),
    await startFakeEvmChain(blocks),
  ];

  describe('with one that has no tracer', () => {
    it('does not ask it again while another one traces, also when that one fails now and then', async () => {
      const database = await createMigratedDatabase();
      const [plain, tracing] = await startNodes();
      plain.hasTracer = false;
      const index = createEvmIndex(database, [plain.url, tracing.url], { batchBlocks: 10 });
      await advanceUntilDone(index.follower);
      tracing.traceDelayMs = 5;
      await advanceBriefly(index.traces!);
      for (let failure = 0; failure < 3; failure += 1) {
        tracing.mood = 'unavailable';
        await advanceBriefly(index.traces!, 200);
        tracing.mood = 'honest';
        await advanceBriefly(index.traces!, 200);
      }
      await advanceUntilDone(index.traces!);
      expect(await rangesOf(database, 'traces')).toEqual([`0-${TIP}`]);
      expect(plain.count('debug_traceBlockByNumber')).toBeLessThanOrEqual(TRACED_AT_ONCE);
    });

    it('puts nothing on record as lost while the one with a tracer is away', async () => {
      const database = await createMigratedDatabase();
      const [plain, tracing] = await startNodes();
      plain.hasTracer = false;
      const index = createEvmIndex(database, [plain.url, tracing.url]);
      await advanceUntilDone(index.follower);
      tracing.mood = 'unavailable';
      await advanceBriefly(index.traces!, 300);
      tracing.mood = 'honest';
      await advanceUntilDone(index.traces!);
      expect(await rangesOf(database, 'traces')).toEqual([`0-${TIP}`]);
      expect(index.warnings.filter((text) => text.startsWith('no node has'))).toEqual([]);
    });
  });

  it('does not ask one that lacks old blocks for them again', async () => {
    const database = await createMigratedDatabase();
    const [synced, archive] = await startNodes();
    await advanceUntilDone(
      createEvmIndex(database, [archive.url], { chain: { startHeight: 'tip' } }).follower,
    );
    synced.lowest = 200;
    archive.delayMs = 10;
    const index = createEvmIndex(database, [synced.url, archive.url], { batchBlocks: 10 });
    await advanceUntilDone(index.base);
    const asked = synced.count('eth_getBlockReceipts');
    expect(await rangesOf(database)).toEqual([`0-${TIP}`]);
    // It has a hundred. Of the two hundred that it lacks it was asked for those that were being read ahead when it first said so,
    // which depends on how quick it was.
    expect(asked).toBeLessThan(200);
  });

  describe('with one that executes another blockchain of the same EVM chain id', () => {
    const failureOf = async (urls: readonly string[]): Promise<unknown> =>
      advanceToEnd(createEvmIndex(await createMigratedDatabase(), urls)).catch((error: unknown) => error);

    it('leaves it for one that executes ours', async () => {
      const database = await createMigratedDatabase();
      const [other, ours] = await startNodes();
      other.blockchainId = `0x${OTHER_ID}`;
      ours.blockchainId = `0x${toHex(idFromString(TEST_CHAIN.blockchainId))}`;
      const nodeWarnings: string[] = [];
      await advanceToEnd(createEvmIndex(database, [other.url, ours.url], { nodeWarnings }));
      expect(await rangesOf(database)).toEqual([`0-${TIP}`]);
      expect(other.count('eth_getBlockReceipts')).toBe(0);
      expect(nodeWarnings).toEqual([]);
    });

    it('stops the index when there is no other', async () => {
      const [other] = await startNodes();
      other.blockchainId = `0x${OTHER_ID}`;
      const id = idToString(fromHex(OTHER_ID));
      expect(await failureOf([other.url])).toMatchObject({
        code: 'FOREIGN_CHAIN',
        message: `${other.host} serves blockchain ${id}, not ${TEST_CHAIN.blockchainId}`,
      });
    });
  });

  it('trusts one that cannot tell its blockchain, and says so once', async () => {
    const database = await createMigratedDatabase();
    const node = await startFakeEvmChain(blocks);
    const nodeWarnings: string[] = [];
    const index = createEvmIndex(database, [node.url], { nodeWarnings });
    node.tip = 10;
    await advanceUntilDone(index.follower);
    node.tip = TIP;
    await advanceUntilDone(index.follower);
    expect(nodeWarnings).toEqual([
      `${node.host} cannot tell its blockchain id (no warp precompile): taken to be ${TEST_CHAIN.blockchainId}`,
    ]);
  });
});
