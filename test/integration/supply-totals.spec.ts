import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { ATOMIC } from '../../src/indexes/evm/facets/facets.js';
import { findKnownImports } from '../../src/indexes/evm/facets/known-imports.js';
import { Database } from '../../src/platform/database/database.js';
import type { EvmChain } from '../../src/platform/evm-chains/evm-chain.js';
import { readAtomicBurned } from '../../src/resources/native-supply/atomic-burned.js';
import { SupplyTotals } from '../../src/resources/native-supply/supply-totals.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { atomicBlocks, BURNED_ASSET } from '../support/evm/atomic-blocks.js';
import {
  advanceUntilDone,
  createEvmIndex,
  digestEvmTables,
  makeWriter,
  rangesOf,
  startEvmChain,
  TEST_CHAIN,
} from '../support/evm/evm-index.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { eventually, PATIENCE_MS } from '../support/harness/eventually.js';
import { advanceBriefly, advanceToTip } from '../support/indexer.js';
import { createIndexer } from '../support/p-chain/p-chain-index.js';

const BLOCKS = 7_000;
const TIP = BigInt(BLOCKS - 1);
/** Of the exports of every tenth block. */
const BURNED = Array.from({ length: BLOCKS / 10 }, (_, index) => 100 + 10 * index).reduce((a, b) => a + b);

describe('AVAX burned by atomic transactions', () => {
  let node: Sandbox;

  beforeAll(async () => {
    node = await startEvmChain(atomicBlocks(BLOCKS, 6_005));
  });

  const indexOf = (database: DataSource, chain: Partial<EvmChain> = {}, writer = makeWriter(database)) =>
    createEvmIndex(database, [node.cChainUrl], { chain: { traces: 'off', ...chain }, writer });
  const audit = (database: DataSource) => new SupplyTotals(new Database(database)).audit(TEST_CHAIN);
  const burned = (database: DataSource, height = TIP) =>
    readAtomicBurned(database.manager, TEST_CHAIN, { avaxAssetId: BURNED_ASSET, height });
  const digest = async (database: DataSource): Promise<string[]> => {
    const { evm_atomic_transactions, evm_atomic_transfers, evm_atomic_totals } =
      await digestEvmTables(database);
    return [evm_atomic_transactions ?? '', evm_atomic_transfers ?? '', evm_atomic_totals ?? ''];
  };
  const EXPECTED = { burned: BigInt(BURNED), baselineHeight: null };

  it('is the same where blocks are indexed from the tip on and old ones dropped as where all are kept', async () => {
    const [whole, cut] = [await createMigratedDatabase(), await createMigratedDatabase()];
    const all = indexOf(whole);
    for (const indexer of [all.follower, all.base, all.atomic]) await advanceUntilDone(indexer);
    const fromTip = { startHeight: 'tip', keepDays: 1 } as const;
    const some = indexOf(cut, fromTip);
    for (const indexer of [some.follower, some.base]) await advanceUntilDone(indexer);
    const calls = { ...node.calls };
    await advanceUntilDone(some.atomic);
    const read = Object.entries(node.calls).filter(([method, count]) => count !== calls[method]);
    expect(read.map(([method]) => method)).not.toContain('eth_getBlockReceipts');
    await makeWriter(cut).retain(TEST_CHAIN, fromTip.keepDays);
    expect(await rangesOf(cut)).toEqual([`0-${TIP - 1n}x`, `${TIP}-${TIP}`]);
    expect(await cut.query('SELECT count(*)::int AS blocks FROM evm_blocks')).toEqual([{ blocks: 1 }]);
    expect(await rangesOf(cut, 'atomic')).toEqual([`0-${TIP}`]);
    expect(await burned(cut)).toEqual(EXPECTED);
    expect(await burned(whole)).toEqual(EXPECTED);
    expect(await digest(cut)).toEqual(await digest(whole));
    expect(some.warnings).toEqual([]);
  });

  it('stays what the rows add up to through a death in between, and whatever is read again or forgotten', async () => {
    const database = await createMigratedDatabase();
    const chain = { startHeight: 'tip' } as const;
    await advanceUntilDone(indexOf(database, chain).follower);
    const death = new AbortController();
    // Whoever looks at the tables from outside may see them when all is read.
    const writer = makeWriter(database);
    const write = writer.write.bind(writer);
    writer.write = async (batch) => {
      await write(batch);
      death.abort(new Error('dead'));
    };
    const dying = indexOf(database, chain, writer).atomic.advance({
      durationMs: PATIENCE_MS,
      signal: death.signal,
      onProgress: () => undefined,
    });
    await expect(dying).rejects.toThrow('dead');
    const right = { comparisons: expect.any(Number), differences: [] };
    expect(await audit(database)).toEqual(right);
    const known = await findKnownImports(new Database(database), TEST_CHAIN);
    const fromTime = 1_700_000_000n + 2n * (known?.fromHeight ?? 0n);
    expect(known?.fromHeight).toBeGreaterThan(0n);
    // At the first block with an export, at most nine later, of two seconds each.
    expect(known?.since).toBeGreaterThanOrEqual(fromTime);
    expect(known?.since).toBeLessThanOrEqual(fromTime + 18n);
    await expect(burned(database)).rejects.toThrow(/imports and exports of blocks 0 to \d+ are not indexed/);

    await advanceUntilDone(indexOf(database, chain).atomic);
    expect([await audit(database), await burned(database)]).toEqual([right, EXPECTED]);
    const expected = await digest(database);

    // Both rows of the repeated one, and the one beneath alone.
    for (const range of [
      { from: 0n, to: 4_000n },
      { from: 5_000n, to: TIP },
    ]) {
      await makeWriter(database).renew(TEST_CHAIN, ATOMIC, range);
      await advanceUntilDone(indexOf(database, chain).atomic);
      expect([await audit(database), await digest(database)]).toEqual([right, expected]);
    }

    await database.query(`UPDATE evm_atomic_totals SET burned = burned + 1`);
    expect(await audit(database)).toMatchObject({ differences: [expect.stringContaining('is kept')] });
    await database.query(`UPDATE evm_atomic_totals SET burned = burned - 1`);

    await makeWriter(database).goBack(TEST_CHAIN, TIP - 10n);
    expect(await audit(database)).toEqual(right);
    const index = indexOf(database, chain);
    for (const indexer of [index.follower, index.atomic]) await advanceUntilDone(indexer);
    expect([await audit(database), await digest(database)]).toEqual([right, expected]);
  });

  it('refuses blocks of another chain, of a node that is asked for older ones', async () => {
    const database = await createMigratedDatabase();
    const chain = { startHeight: 'tip' } as const;
    await advanceUntilDone(indexOf(database, chain).follower);
    node.setCChainBehaviour({ kind: 'wrongParent', fromHeight: 1 });
    try {
      const index = indexOf(database, chain);
      await eventually('the block is refused', async () => {
        await advanceBriefly(index.atomic, 500).catch(() => undefined);
        return index.warnings.join().includes(`block ${TIP} is 0x`);
      });
    } finally {
      node.setCChainBehaviour({ kind: 'honest' });
    }
    expect(await rangesOf(database, 'atomic')).toEqual([`${TIP}-${TIP}`]);
  });
});

it('the sum that the P-chain keeps is what its transactions add up to', async () => {
  const sandbox = await startSandbox({ validators: 1, blockIntervalMs: 0 });
  onCleanup(() => sandbox.stop());
  const dataSource = await createMigratedDatabase();
  await advanceToTip(createIndexer(dataSource, [sandbox.url]).indexer);
  const totals = new SupplyTotals(new Database(dataSource));
  expect(await totals.audit(TEST_CHAIN)).toMatchObject({ differences: [] });
});
