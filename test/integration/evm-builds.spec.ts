import { beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { EvmClient } from '../../src/avalanche/evm/rpc/evm-client.js';
import { type Address, evmBytesOf } from '../../src/avalanche/evm/rpc/hex-values.js';
import { readMovements } from '../../src/avalanche/evm/transfers/movement-reader.js';
import { evmChainKey } from '../../src/platform/database/chains.js';
import { Database } from '../../src/platform/database/database.js';
import { EvmAuditRepository } from '../../src/indexes/evm/audit/evm-audit.repository.js';
import { BASE, type FacetBatch } from '../../src/indexes/evm/facets/facets.js';
import { baseBatch } from '../../src/indexes/evm/rows/base-rows.js';
import { type Build, EvmBuilds, type OpenHistory } from '../../src/indexes/evm/rows/builds.js';
import { EvmWriter } from '../../src/indexes/evm/rows/evm-writer.js';
import { EvmPartitions } from '../../src/indexes/evm/rows/partitions.js';
import { copyOut } from '../../src/exports/rows/copy-out.js';
import { addressFor, hashFor } from '../../sandbox/generated/evm-block.js';
import { generateEvmChain } from '../../sandbox/generated/evm-chain-generator.js';
import {
  advanceToEnd,
  createEvmIndex,
  digestEvmTables,
  rangesOf,
  standAt,
  startEvmChain,
  TEST_CHAIN,
} from '../support/evm/evm-index.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { waitForLock } from '../support/harness/wait-for-lock.js';
import { NODE_PATIENCE_MS } from '../support/node-patience.js';

/** As wide as the test's chain needs them. */
class SmallPartitions extends EvmPartitions {
  protected override readonly size = { rows: 1, maxBlocks: 16, minBlocks: 16 };
}

describe('blocks that are made beside the tables', () => {
  let database: DataSource;
  let builds: EvmBuilds;
  let writer: EvmWriter;

  beforeEach(async () => {
    database = await createMigratedDatabase();
    const own = new Database(database);
    const partitions = new SmallPartitions(own);
    builds = new EvmBuilds(own, partitions);
    writer = new EvmWriter(own, partitions, builds);
  });

  const claim = async (open: OpenHistory): Promise<Build> => {
    const build = await builds.claim(TEST_CHAIN, randomUUID(), open);
    if (build === undefined) throw new Error('nothing is left');
    return build;
  };

  const write = (build: Build, facet: FacetBatch, contracts: readonly Address[] = []): Promise<Build> =>
    builds.write(build, {
      facet,
      tokens: contracts.map((contract) => ({ contract, name: null, symbol: null, decimals: null })),
      topHash: hashFor(1),
      parentHash: hashFor(2),
      expectedTop: undefined,
    });

  /** Others wait for it until `work` has been done. */
  const holding = async (text: string, values: unknown[], work: () => Promise<void>): Promise<void> => {
    const holder = database.createQueryRunner();
    await holder.startTransaction();
    try {
      await holder.query(text, values);
      await work();
    } finally {
      await holder.rollbackTransaction();
      await holder.release();
    }
  };

  it('take the same new tokens from two workers, in whatever order', async () => {
    await standAt(database, TEST_CHAIN, 99);
    const open = { missing: [{ from: 0n, to: 99n }], outdated: [] };
    const contracts = [addressFor(1), addressFor(2), addressFor(3)] as const;
    const building: Promise<Build>[] = [];
    const text = 'INSERT INTO evm_tokens (chain_key, contract) VALUES ($1, $2)';
    await holding(text, [evmChainKey(TEST_CHAIN), evmBytesOf(contracts[1])], async () => {
      for (const found of [contracts, contracts.toReversed()]) {
        const build = await claim(open);
        const [from, to] = [build.nextHeight, build.nextHeight];
        const facet = { facet: BASE, from, to, rowsPerBlock: 0, makeRows: () => new Map() };
        building.push(write(build, facet, found));
        await waitForLock(database, ...building);
      }
    });
    await Promise.all(building);
    const rows: unknown[] = await database.query('SELECT 1 FROM evm_tokens');
    expect(rows).toHaveLength(contracts.length);
  });

  it('are proved by the block right above them alone', async () => {
    await standAt(database, TEST_CHAIN, 99);
    const open = { missing: [{ from: 0n, to: 99n }], outdated: [] };
    const [above, beneath] = [await claim(open), await claim(open)];
    const batch = ({ toHeight: to }: Build, from = to): FacetBatch => {
      return { facet: BASE, from, to, rowsPerBlock: 0, makeRows: () => new Map() };
    };
    const top = { ...above, toHeight: above.topHeight };
    await write(beneath, batch(beneath, beneath.fromHeight));
    await write(above, batch(top));
    // No node has those in between.
    await builds.moveTo(above, above.fromHeight - 1n);
    await builds.finish(TEST_CHAIN, above, 99n);
    await writer.attach(TEST_CHAIN, above);
    const left: unknown = await database.query('SELECT id::int, expected_top FROM evm_builds');
    expect(left).toEqual([{ id: Number(beneath.id), expected_top: null }]);
  });

  it('keep what fills gaps of the partition that they replace, while and after they are made', async () => {
    const node = await startEvmChain(generateEvmChain({ blocks: 48 }));
    await advanceToEnd(
      createEvmIndex(database, [node.cChainUrl], { partitions: SmallPartitions, chain: { traces: 'off' } }),
    );
    const expected = await digestEvmTables(database);
    const client = EvmClient.connect({ urls: [node.cChainUrl], timeoutMs: NODE_PATIENCE_MS });
    const read = async (fromHeight: bigint, toHeight = fromHeight): Promise<FacetBatch> =>
      baseBatch(TEST_CHAIN, await readMovements({ client, traces: 'off', fromHeight, toHeight }));
    for (const gap of [21n, 25n]) {
      await writer.doubt(TEST_CHAIN, BASE, { from: gap, to: gap });
      for (const table of BASE.tables) await database.query(`DELETE FROM ${table} WHERE height = ${gap}`);
    }
    expect(await digestEvmTables(database)).not.toEqual(expected);
    await writer.renew(TEST_CHAIN, BASE, { from: 16n, to: 31n });

    let build = await claim({ missing: [], outdated: [{ from: 16n, to: 31n }] });
    for (const [from, to] of [
      [26n, 31n],
      [22n, 24n],
      [16n, 20n],
    ] as const) {
      await builds.moveTo(build, to);
      build = await write({ ...build, nextHeight: to }, await read(from, to));
    }
    const finishing: Promise<void>[] = [];
    const table = `evm_transactions_${build.chainKey}_${build.fromHeight}_${build.id}`;
    await holding(`LOCK TABLE ${table} IN SHARE MODE`, [], async () => {
      finishing.push(builds.finish(TEST_CHAIN, build, 47n));
      await waitForLock(database, ...finishing); // with the blocks behind it
      await writer.write({ chain: TEST_CHAIN, facets: [await read(21n)] });
    });
    await Promise.all(finishing);
    await writer.write({ chain: TEST_CHAIN, facets: [await read(25n)] });
    client.close();
    await writer.attach(TEST_CHAIN, build);
    expect(await digestEvmTables(database)).toEqual(expected);
    expect(await rangesOf(database)).toEqual(['0-47']);
  });

  it('are there with all that has come meanwhile for an export and an audit that wait until they are attached', async () => {
    const node = await startEvmChain(generateEvmChain({ blocks: 48 }));
    const chain = { traces: 'off' } as const;
    await advanceToEnd(createEvmIndex(database, [node.cChainUrl], { partitions: SmallPartitions, chain }));
    await writer.doubt(TEST_CHAIN, BASE, { from: 25n, to: 25n });
    for (const table of BASE.tables) await database.query(`DELETE FROM ${table} WHERE height = 25`);
    await writer.renew(TEST_CHAIN, BASE, { from: 16n, to: 31n });
    const client = EvmClient.connect({ urls: [node.cChainUrl], timeoutMs: NODE_PATIENCE_MS });
    const read = async (fromHeight: bigint, toHeight: bigint): Promise<FacetBatch> =>
      baseBatch(TEST_CHAIN, await readMovements({ client, traces: 'off', fromHeight, toHeight }));
    const build = await write(
      await claim({ missing: [], outdated: [{ from: 16n, to: 31n }] }),
      await read(26n, 31n),
    );
    await builds.finish(TEST_CHAIN, build, 47n);
    await writer.write({ chain: TEST_CHAIN, facets: [await read(25n, 25n)] });
    client.close();

    const own = new Database(database);
    const copy = async (): Promise<string> => {
      const query = `SELECT height FROM evm_blocks WHERE chain_key = ${evmChainKey(TEST_CHAIN)} AND height BETWEEN 24 AND 26 ORDER BY 1`;
      const { signal } = new AbortController();
      const chunks: Buffer[] = [];
      for await (const chunk of copyOut(own, query, { settings: {}, timeoutMs: 30_000, signal })) {
        chunks.push(chunk);
      }
      return Buffer.concat(chunks).toString();
    };
    const audit = async (): Promise<string> => {
      const rows = await new EvmAuditRepository(own).rowsAt(TEST_CHAIN, BASE, 25n);
      return [...rows.keys()].filter((key) => key.startsWith('evm_blocks')).join();
    };
    const reading: Promise<string>[] = [];
    await own.transaction(async (transaction) => {
      await builds.attach(transaction, TEST_CHAIN, build);
      reading.push(copy(), audit());
      await waitForLock(database, ...reading);
    });
    expect(await Promise.all(reading)).toEqual(['24\n25\n26\n', 'evm_blocks 25']);
  });
});
