import { beforeAll, describe, expect, it } from '@jest/globals';
import { generateEvmChain } from '../../sandbox/generated/evm-chain-generator.js';
import type { RecordedEvmBlock } from '../../sandbox/recording/evm-recording.js';
import {
  advanceToEnd,
  advanceUntilDone,
  createEvmIndex,
  rangesOf,
  setTip,
  startEvmChain,
} from '../support/evm/evm-index.js';
import { eventually, PATIENCE_MS } from '../support/harness/eventually.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { advanceBriefly, failureOf } from '../support/indexer.js';

describe('older blocks of an EVM chain', () => {
  const FAR = 12_000;
  let long: RecordedEvmBlock[];

  beforeAll(() => {
    long = generateEvmChain({ blocks: FAR + 200, transactions: 0 });
  });

  it('come newest first beside the tip, from an index of their own', async () => {
    const database = await createMigratedDatabase();
    const node = await startEvmChain(long);
    setTip(node, FAR);
    const index = createEvmIndex(database, [node.cChainUrl], { batchBlocks: 1_000 });
    await advanceUntilDone(index.follower);
    expect(await rangesOf(database)).toEqual([`${FAR}-${FAR}`]);
    const lowest: number[] = [];
    const done = new AbortController();
    const backfilling = index.base.advance({
      durationMs: PATIENCE_MS,
      signal: done.signal,
      onProgress: ({ secondsLeft }) => {
        if (secondsLeft === 0) done.abort(new Error('done'));
      },
    });
    const watching = eventually('all blocks', async () => {
      const [range] = await rangesOf(database);
      lowest.push(Number(range?.split('-')[0]));
      return lowest.at(-1) === 0;
    });
    setTip(node, FAR + 100);
    await advanceUntilDone(index.follower);
    await watching;
    await expect(backfilling).rejects.toThrow('done');
    expect(lowest).toEqual(lowest.toSorted((x, y) => y - x));
    expect(await rangesOf(database)).toEqual([`0-${FAR + 100}`]);
    const [row] = await database.query<{ count: number }[]>('SELECT count(*)::int AS count FROM evm_blocks');
    expect(row?.count).toBe(FAR + 101);
  });

  it('are filled in behind the tip when they were missed while nobody indexed', async () => {
    const database = await createMigratedDatabase();
    const node = await startEvmChain(long);
    setTip(node, 100);
    await advanceToEnd(createEvmIndex(database, [node.cChainUrl], { batchBlocks: 1_000 }));
    setTip(node, FAR + 150);
    const index = createEvmIndex(database, [node.cChainUrl], { batchBlocks: 1_000 });
    await advanceUntilDone(index.follower);
    expect(await rangesOf(database)).toEqual(['0-100', `${FAR + 150}-${FAR + 150}`]);
    await advanceToEnd(index);
    expect(await rangesOf(database)).toEqual([`0-${FAR + 150}`]);
  });

  it('stay away when the index starts at the tip, also after the chain went on', async () => {
    const database = await createMigratedDatabase();
    const node = await startEvmChain(long);
    setTip(node, 500);
    const chain = { startHeight: 'tip' as const };
    await advanceToEnd(createEvmIndex(database, [node.cChainUrl], { chain }));
    setTip(node, 600);
    await advanceToEnd(createEvmIndex(database, [node.cChainUrl], { chain }));
    expect(await rangesOf(database)).toEqual(['500-600']);
    // The start is set lower, twice.
    await advanceToEnd(createEvmIndex(database, [node.cChainUrl], { chain: { startHeight: 450n } }));
    expect(await rangesOf(database)).toEqual(['450-600']);
    await advanceToEnd(createEvmIndex(database, [node.cChainUrl], { chain: { startHeight: 7n } }));
    expect(await rangesOf(database)).toEqual(['7-600']);
  });

  it('are put on record when no node has them, and those above them are read', async () => {
    const database = await createMigratedDatabase();
    const node = await startEvmChain(long);
    setTip(node, 600);
    await advanceToEnd(createEvmIndex(database, [node.cChainUrl], { chain: { startHeight: 'tip' } }));
    node.setCChainBehaviour({ kind: 'stateSynced', fromHeight: 317 });
    const { base } = createEvmIndex(database, [node.cChainUrl]);
    const progress = await advanceUntilDone(base);
    expect(progress).toMatchObject({ state: 'running', message: '316 blocks that no node has' });
    expect(await rangesOf(database)).toEqual(['0-0', '1-316?', '317-600']);
    // Nobody asks again at once.
    const before = node.calls['eth_getBlockByNumber'];
    await advanceBriefly(base);
    expect(node.calls['eth_getBlockByNumber']).toBe(before);
    node.setCChainBehaviour({ kind: 'honest' });
    await database.query("UPDATE index_coverage SET checked_at = now() - interval '2 hours'");
    await eventually('what a node has again', async () => {
      await advanceBriefly(base);
      return (await rangesOf(database)).join() === '0-600';
    });
  });

  it('come from the node that has them', async () => {
    const database = await createMigratedDatabase();
    const short = long.slice(0, 601);
    const [synced, archive] = [await startEvmChain(short), await startEvmChain(short)];
    await advanceToEnd(createEvmIndex(database, [synced.cChainUrl], { chain: { startHeight: 'tip' } }));
    synced.setCChainBehaviour({ kind: 'stateSynced', fromHeight: 317 });
    await advanceToEnd(createEvmIndex(database, [synced.cChainUrl, archive.cChainUrl]));
    expect(await rangesOf(database)).toEqual(['0-600']);
  });

  it('stop their index when they do not meet what is there, before any of them is written', async () => {
    const database = await createMigratedDatabase();
    const node = await startEvmChain(long);
    setTip(node, 500);
    await advanceToEnd(createEvmIndex(database, [node.cChainUrl], { chain: { startHeight: 'tip' } }));
    // Below 500 another history: its block 500 has our hash, but follows another block.
    const forked = generateEvmChain({ blocks: 501, transactions: 0, forkedAt: 300 });
    node.cChain.replaceBlocks([...forked.slice(0, 500), long[500]!]);
    const { code, message } = await failureOf(advanceToEnd(createEvmIndex(database, [node.cChainUrl])));
    expect(code).toBe('FOREIGN_CHAIN');
    expect(message).toMatch(/block 499 is 0x[0-9a-f]{64}, the block above it follows 0x/);
    expect(await rangesOf(database)).toEqual(['500-500']);
  });
});
