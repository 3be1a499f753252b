import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { generateEvmChain } from '../../sandbox/generated/evm-chain-generator.js';
import { BASE } from '../../src/indexes/evm/facets/facets.js';
import type { Indexer } from '../../src/indexes/engine/following/indexer.js';
import type { ChainMark } from '../../src/indexes/evm/rows/chain-changes.js';
import { findChangedMarks } from '../../src/indexes/evm/rows/chain-marks.js';
import { poolOf } from '../../src/platform/database/data-source.js';
import { Database } from '../../src/platform/database/database.js';
import {
  advanceToEnd,
  advanceUntilDone,
  createEvmIndex,
  makeWriter,
  rangesOf,
  setTip,
  startEvmChain,
  TEST_CHAIN,
  type TestEvmIndex,
} from '../support/evm/evm-index.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { eventually, PATIENCE_MS } from '../support/harness/eventually.js';

const BLOCKS = 40;
/** By itself each looks again after a minute. */
const SOON_MS = 45_000;
/** The mark of a chain of which nothing is on record. */
const NOTHING_WRITTEN = createHash('md5').digest('hex');

describe('an EVM chain on which nothing happens', () => {
  it('costs few statements, whatever the number of its facets', async () => {
    const { database, index } = await startIndex();
    let statements = 0;
    poolOf(database).on('acquire', () => (statements += 1));
    const countIn = async (durationMs: number): Promise<number> => {
      const before = statements;
      await Promise.all(facetsOf(index).map((facet) => advance(facet, durationMs)));
      return statements - before;
    };
    await countIn(100); // what they do once a minute
    // Looked at every 1.2 s: checkpoint and coverage for all of them, and the newest of the logs.
    expect(await countIn(2_000)).toBeLessThanOrEqual(20);
  });

  it('is made again soon after a request to another process', async () => {
    const { database, index } = await startIndex();
    const signal = new AbortController();
    const working = index.base
      .advance({ durationMs: PATIENCE_MS, signal: signal.signal, onProgress: () => undefined })
      .catch(() => undefined);
    await makeWriter(database).renew(TEST_CHAIN, BASE, { from: 5n, to: 9n });
    expect(await rangesOf(database)).toEqual(['0-4', '5-9', `10-${BLOCKS - 1}`]);
    await eventually('the blocks', async () => (await rangesOf(database)).length === 1, SOON_MS);
    signal.abort();
    await working;
  });

  it('has another mark once another process has written of it', async () => {
    const { database } = await startIndex();
    const find = (mark: string): Promise<readonly ChainMark[]> =>
      findChangedMarks(new Database(database), [
        { chain: { network: 'fuji', chainId: 1n }, mark: NOTHING_WRITTEN },
        { chain: TEST_CHAIN, mark },
      ]);
    const [first] = await find('');
    expect(first?.chain).toBe(TEST_CHAIN);
    expect(await find(first?.mark ?? '')).toEqual([]);
    await makeWriter(database).renew(TEST_CHAIN, BASE, { from: 5n, to: 9n });
    expect(await find(first?.mark ?? '')).toHaveLength(1);
  });

  it('wakes its facets when the chain begins', async () => {
    const { database, index } = await startIndex({ tip: 10, advance: false });
    const startedAt = performance.now();
    const waiting = advanceUntilDone(index.base);
    await advanceUntilDone(index.follower);
    await waiting;
    expect(await rangesOf(database)).toEqual(['0-10']);
    expect(performance.now() - startedAt).toBeLessThan(SOON_MS);
  });

  async function startIndex({ tip = BLOCKS - 1, advance = true } = {}): Promise<{
    database: DataSource;
    index: TestEvmIndex;
  }> {
    const database = await createMigratedDatabase();
    const node = await startEvmChain(generateEvmChain({ blocks: BLOCKS }));
    setTip(node, tip);
    const index = createEvmIndex(database, [node.cChainUrl]);
    if (advance) {
      await advanceToEnd(index);
      for (const logs of index.logs) await advanceUntilDone(logs);
    }
    return { database, index };
  }
});

function facetsOf({ base, traces, logs }: TestEvmIndex): Indexer[] {
  return [base, ...(traces === undefined ? [] : [traces]), ...logs];
}

async function advance(indexer: Indexer, durationMs: number): Promise<void> {
  const { signal } = new AbortController();
  await indexer.advance({ durationMs, signal, onProgress: () => undefined });
}
