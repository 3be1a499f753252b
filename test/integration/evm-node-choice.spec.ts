import { beforeAll, describe, expect, it } from '@jest/globals';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString, idToString } from '../../src/avalanche/ids/id.js';
import { generateEvmChain } from '../../sandbox/generated/evm-chain-generator.js';
import type { RecordedEvmBlock } from '../../sandbox/recording/evm-recording.js';
import {
  advanceToEnd,
  advanceUntilDone,
  createEvmIndex,
  rangesOf,
  setTip,
  startEvmChain,
  TEST_CHAIN,
} from '../support/evm/evm-index.js';
import { WARP_PRECOMPILE_ADDRESS } from '../../src/avalanche/warp/send-warp-log.js';
import { advanceBriefly, NODE_FAILURES } from '../support/indexer.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { createMigratedDatabase } from '../support/harness/database.js';

const TIP = 299;
/** That many blocks are traced at the same time. */
const TRACED_AT_ONCE = 4;
const OTHER_ID = 'ab'.repeat(32);

/** In hex. */
function reportBlockchainId(node: Sandbox, id: string): void {
  node.cChain.contracts.set(WARP_PRECOMPILE_ADDRESS, () => `0x${id}`);
}

describe('the choice among several nodes of an EVM chain', () => {
  let blocks: RecordedEvmBlock[];

  beforeAll(() => {
    blocks = generateEvmChain({ blocks: TIP + 1 });
  });

  const startNodes = async (): Promise<[Sandbox, Sandbox]> => [
    await startEvmChain(blocks),
    await startEvmChain(blocks),
  ];

  describe('with one that has no tracer', () => {
    it('does not ask it again while another one traces, also when that one fails now and then', async () => {
      const database = await createMigratedDatabase();
      const [plain, tracing] = await startNodes();
      plain.setCChainBehaviour({ kind: 'noTracer' });
      const index = createEvmIndex(database, [plain.cChainUrl, tracing.cChainUrl], { batchBlocks: 10 });
      await advanceUntilDone(index.follower);
      const slow = { slowMethods: { debug_traceBlockByNumber: 5 } };
      tracing.setNodeBehaviour(slow);
      await advanceBriefly(index.traces!);
      for (let failure = 0; failure < 3; failure += 1) {
        tracing.setNodeBehaviour(NODE_FAILURES.unavailable);
        await advanceBriefly(index.traces!, 200);
        tracing.setNodeBehaviour(slow);
        await advanceBriefly(index.traces!, 200);
      }
      await advanceUntilDone(index.traces!);
      expect(await rangesOf(database, 'traces')).toEqual([`0-${TIP}`]);
      expect(plain.calls['debug_traceBlockByNumber']).toBeLessThanOrEqual(TRACED_AT_ONCE);
    });

    it('puts nothing on record as lost while the one with a tracer is away', async () => {
      const database = await createMigratedDatabase();
      const [plain, tracing] = await startNodes();
      plain.setCChainBehaviour({ kind: 'noTracer' });
      const index = createEvmIndex(database, [plain.cChainUrl, tracing.cChainUrl]);
      await advanceUntilDone(index.follower);
      tracing.setNodeBehaviour(NODE_FAILURES.unavailable);
      await advanceBriefly(index.traces!, 300);
      tracing.setNodeBehaviour({});
      await advanceUntilDone(index.traces!);
      expect(await rangesOf(database, 'traces')).toEqual([`0-${TIP}`]);
      expect(index.warnings.filter((text) => text.startsWith('no node has'))).toEqual([]);
    });
  });

  it('does not ask one that lacks old blocks for them again', async () => {
    const database = await createMigratedDatabase();
    const [synced, archive] = await startNodes();
    await advanceUntilDone(
      createEvmIndex(database, [archive.cChainUrl], { chain: { startHeight: 'tip' } }).follower,
    );
    synced.setCChainBehaviour({ kind: 'stateSynced', fromHeight: 200 });
    archive.setNodeBehaviour({ delayMs: 10 });
    const index = createEvmIndex(database, [synced.cChainUrl, archive.cChainUrl], { batchBlocks: 10 });
    await advanceUntilDone(index.base);
    const asked = synced.calls['eth_getBlockReceipts'];
    expect(await rangesOf(database)).toEqual([`0-${TIP}`]);
    // It has a hundred. Of the two hundred that it lacks it was asked for those that were being read ahead when it first reported that,
    // which depends on how quick it was.
    expect(asked).toBeLessThan(200);
  });

  it.each([
    ['by a few blocks', TIP],
    ['by more than are read up to a tip', 50_000],
  ])('goes on with another one where the first announces what it does not give, %s', async (_, height) => {
    const database = await createMigratedDatabase();
    const [stuck, honest] = await startNodes();
    for (const node of [stuck, honest]) setTip(node, 200);
    const index = createEvmIndex(database, [stuck.cChainUrl, honest.cChainUrl]);
    await advanceUntilDone(index.follower);
    stuck.setCChainBehaviour({ kind: 'late', height, gives: 200 });
    setTip(honest, TIP);
    await advanceBriefly(index.follower, 500);
    expect(await rangesOf(database)).toEqual([`0-${TIP}`]);
  });

  describe('with one that executes another blockchain of the same EVM chain id', () => {
    const failureOf = async (urls: readonly string[]): Promise<unknown> =>
      advanceToEnd(createEvmIndex(await createMigratedDatabase(), urls)).catch((error: unknown) => error);

    it('leaves it for one that executes ours', async () => {
      const database = await createMigratedDatabase();
      const [other, ours] = await startNodes();
      reportBlockchainId(other, OTHER_ID);
      reportBlockchainId(ours, toHex(idFromString(TEST_CHAIN.blockchainId)));
      const nodeWarnings: string[] = [];
      await advanceToEnd(createEvmIndex(database, [other.cChainUrl, ours.cChainUrl], { nodeWarnings }));
      expect(await rangesOf(database)).toEqual([`0-${TIP}`]);
      expect(other.calls['eth_getBlockReceipts']).toBeUndefined();
      expect(nodeWarnings).toEqual([]);
    });

    it('stops the index when there is no other', async () => {
      const [other] = await startNodes();
      reportBlockchainId(other, OTHER_ID);
      const id = idToString(fromHex(OTHER_ID));
      expect(await failureOf([other.cChainUrl])).toMatchObject({
        code: 'FOREIGN_CHAIN',
        message: `node 1 serves blockchain ${id}, not ${TEST_CHAIN.blockchainId}`,
      });
    });
  });

  it('trusts one that cannot report its blockchain, and warns once', async () => {
    const database = await createMigratedDatabase();
    const node = await startEvmChain(blocks);
    const nodeWarnings: string[] = [];
    const index = createEvmIndex(database, [node.cChainUrl], { nodeWarnings });
    setTip(node, 10);
    await advanceUntilDone(index.follower);
    setTip(node, TIP);
    await advanceUntilDone(index.follower);
    expect(nodeWarnings).toEqual([
      `${node.host} cannot tell its blockchain id (no warp precompile): taken to be ${TEST_CHAIN.blockchainId}`,
    ]);
  });
});
