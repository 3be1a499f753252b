import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { Database } from '../../src/database/database.js';
import { EvmClient } from '../../src/avalanche/evm/evm-client.js';
import type { Hex } from '../../src/avalanche/evm/hex-values.js';
import { readMovements } from '../../src/avalanche/evm/movement-reader.js';
import type { Movement } from '../../src/avalanche/evm/transfers.js';
import { EvmIndexer } from '../../src/evm-index/evm-indexer.js';
import { EvmPartitions } from '../../src/evm-index/partitions.js';
import { eventually } from '../support/eventually.js';
import { type GeneratedEvmBlock, generateEvmChain, TOKEN_CONTRACTS } from '../support/evm-chain-generator.js';
import {
  advanceToEnd,
  createEvmIndexer,
  digestEvmTables,
  makeWriter,
  rangesOf,
  startFakeEvmChain,
  TEST_CHAIN,
} from '../support/evm-index.js';
import {
  encodeText,
  type EvmNodeMood,
  type FakeEvmChainNode,
  makeToken,
} from '../support/fake-evm-chain-node.js';
import { createMigratedDatabase } from '../support/p-chain-index.js';

const BLOCKS = 300;
const SPOILT = 170;

describe(EvmIndexer.name, () => {
  let blocks: GeneratedEvmBlock[];
  let expected: Record<string, string>;
  let expectedDatabase: DataSource;

  beforeAll(async () => {
    blocks = generateEvmChain({ blocks: BLOCKS });
    expectedDatabase = await createMigratedDatabase();
    const node = await startFakeEvmChain(blocks);
    await advanceToEnd(createEvmIndexer(expectedDatabase, [node.url], { batchBlocks: 10_000 }).indexer);
    expected = await digestEvmTables(expectedDatabase);
  });

  const startNode = (): Promise<FakeEvmChainNode> => startFakeEvmChain(blocks);

  const failureOf = async (indexer: EvmIndexer): Promise<{ code: string; message: string }> => {
    try {
      await advanceToEnd(indexer);
    } catch (error) {
      if (error instanceof Error && 'code' in error) {
        return { code: String(error.code), message: error.message };
      }
      throw error;
    }
    throw new Error('it went on');
  };

  it.each([1, 7, 64])('has the same rows with batches of %d blocks as with one', async (batchBlocks) => {
    const database = await createMigratedDatabase();
    const node = await startNode();
    await advanceToEnd(createEvmIndexer(database, [node.url], { batchBlocks }).indexer);
    expect(await digestEvmTables(database)).toEqual(expected);
    expect(await rangesOf(database)).toEqual([`0-${BLOCKS - 1}t`]);
  });

  it('tells every movement of every block by its rows', async () => {
    const database = await createMigratedDatabase();
    const node = await startNode();
    await advanceToEnd(createEvmIndexer(database, [node.url]).indexer);
    const client = EvmClient.connect({ urls: [node.url], timeoutMs: 5_000 });
    const read = await readMovements({
      client,
      traces: 'auto',
      fromHeight: 0n,
      toHeight: BigInt(BLOCKS - 1),
    });
    client.close();
    const movements = read.flatMap(({ block, movements }) =>
      movements.map((movement) => ({ height: block.height, ...movement })),
    );
    const kinds = new Set(movements.map(({ kind }) => kind));
    expect(kinds.size).toBe(6);
    expect(await movementsOnRecord(database)).toEqual(movements);
  });

  it('restores where it stood at any block', async () => {
    const database = await createMigratedDatabase();
    const node = await startNode();
    for (const tip of [0, 1, 33, 34, 100, BLOCKS - 1]) {
      node.tip = tip;
      await advanceToEnd(createEvmIndexer(database, [node.url]).indexer); // knows nothing but the rows
      expect(await rangesOf(database)).toEqual([`0-${tip}t`]);
    }
    expect(await digestEvmTables(database)).toEqual(expected);
  });

  it('follows the tip', async () => {
    const database = await createMigratedDatabase();
    const node = await startNode();
    node.tip = 50;
    const { indexer } = createEvmIndexer(database, [node.url]);
    const running = new AbortController();
    const heights: bigint[] = [];
    const advancing = indexer.advance({
      durationMs: 60_000,
      signal: running.signal,
      onProgress: ({ height }) => heights.push(height),
    });
    await eventually('the first tip', () => heights.includes(50n));
    node.tip = 51;
    await eventually('one block', () => heights.includes(51n));
    node.tip = BLOCKS - 1;
    await eventually('more blocks', () => heights.includes(BigInt(BLOCKS - 1)));
    running.abort(new Error('enough'));
    await expect(advancing).rejects.toThrow('enough');
    expect(await digestEvmTables(database)).toEqual(expected);
  });

  describe('older blocks', () => {
    const FAR = 12_000;
    let long: GeneratedEvmBlock[];

    beforeAll(() => {
      long = generateEvmChain({ blocks: FAR + 200, transactions: 0 });
    });

    it('come after the tip, from the start on, and meet what is there', async () => {
      const database = await createMigratedDatabase();
      const node = await startFakeEvmChain(long);
      node.tip = FAR;
      const { indexer } = createEvmIndexer(database, [node.url], { batchBlocks: 1_000 });
      const seen: string[] = [];
      const abort = new AbortController();
      const advancing = indexer.advance({
        durationMs: 60_000,
        signal: abort.signal,
        onProgress: ({ height, message, secondsLeft }) => {
          if (height === BigInt(FAR)) node.tip = FAR + 100;
          seen.push(`${height} ${message ?? 'done'}`);
          if (secondsLeft === 0) abort.abort(new Error('done'));
        },
      });
      await expect(advancing).rejects.toThrow('done');
      expect(seen[0]).toBe('12000 backfilling: 12,000 blocks below 12,000 to go');
      expect(seen.at(-1)).toBe('12100 done');
      expect(await rangesOf(database)).toEqual([`0-${FAR + 100}t`]);
      const [row] = await database.query<{ count: number }[]>(
        'SELECT count(*)::int AS count FROM evm_blocks',
      );
      expect(row?.count).toBe(FAR + 101);
    });

    it('stay away when the start is the tip, also after the chain went on', async () => {
      const database = await createMigratedDatabase();
      const node = await startFakeEvmChain(long);
      node.tip = 500;
      const chain = { startHeight: 'tip' as const };
      await advanceToEnd(createEvmIndexer(database, [node.url], { chain }).indexer);
      node.tip = 600;
      await advanceToEnd(createEvmIndexer(database, [node.url], { chain }).indexer);
      expect(await rangesOf(database)).toEqual(['500-600t']);
      // The start is set lower, twice.
      await advanceToEnd(createEvmIndexer(database, [node.url], { chain: { startHeight: 450n } }).indexer);
      expect(await rangesOf(database)).toEqual(['450-600t']);
      await advanceToEnd(createEvmIndexer(database, [node.url], { chain: { startHeight: 7n } }).indexer);
      expect(await rangesOf(database)).toEqual(['7-600t']);
    });

    it('keep nobody from following the tip when no node has them', async () => {
      const database = await createMigratedDatabase();
      const node = await startFakeEvmChain(long);
      node.tip = 500;
      await advanceToEnd(createEvmIndexer(database, [node.url], { chain: { startHeight: 'tip' } }).indexer);
      node.tip = 600;
      node.lowest = 490;
      const { indexer } = createEvmIndexer(database, [node.url]);
      const { state, height, message } = await indexer.advance({
        durationMs: 200,
        signal: new AbortController().signal,
        onProgress: () => undefined,
      });
      expect({ state, height }).toEqual({ state: 'running', height: 600n });
      expect(message).toMatch(/^backfilling: 499 blocks below 600 to go; waiting: .*does not have block 1$/);
      node.lowest = 0;
      await advanceToEnd(createEvmIndexer(database, [node.url]).indexer);
      expect(await rangesOf(database)).toEqual(['0-600t']);
    });

    it('that do not meet what is there stop the index', async () => {
      const database = await createMigratedDatabase();
      const node = await startFakeEvmChain(long);
      node.tip = 500;
      await advanceToEnd(createEvmIndexer(database, [node.url], { chain: { startHeight: 'tip' } }).indexer);
      // Below 500 another history: its block 500 has our hash, but follows another block.
      const forked = generateEvmChain({ blocks: 501, transactions: 0, forkedAt: 300 });
      node.blocks = [...forked.slice(0, 500), long[500]!];
      const { code, message } = await failureOf(createEvmIndexer(database, [node.url]).indexer);
      expect(code).toBe('FOREIGN_CHAIN');
      expect(message).toMatch(/block 500 \(0x[0-9a-f]{64}\) does not follow block 499/);
      expect((await rangesOf(database)).at(-1)).toBe('500-500t');
    });
  });

  describe('internal transfers', () => {
    it('are told apart by range where the node could not tell them', async () => {
      const database = await createMigratedDatabase();
      const node = await startNode();
      node.tip = 99;
      node.hasTracer = false;
      await advanceToEnd(createEvmIndexer(database, [node.url], { batchBlocks: 50 }).indexer);
      node.tip = BLOCKS - 1;
      node.hasTracer = true;
      await advanceToEnd(createEvmIndexer(database, [node.url], { batchBlocks: 50 }).indexer);
      const ranges = await rangesOf(database);
      expect(ranges.at(-1)).toMatch(new RegExp(`-${BLOCKS - 1}t$`));
      expect(ranges.some((range) => !range.endsWith('t'))).toBe(true);
      const [row] = await database.query<{ lowest: string }[]>(
        'SELECT min(height) AS lowest FROM evm_internal_transfers',
      );
      expect(Number(row?.lowest)).toBeGreaterThan(99);
    });

    describe('of a block whose state the node has thrown away', () => {
      const PRUNED = new Set([41, 42, 200]);

      it('are missing in that block alone, and the range says so', async () => {
        const database = await createMigratedDatabase();
        const node = await startNode();
        node.pruned = PRUNED;
        const progress = await advanceToEnd(createEvmIndexer(database, [node.url]).indexer);
        expect(progress).toMatchObject({ state: 'running', height: BigInt(BLOCKS - 1) });
        const lost = await heightsLost(database, expectedDatabase);
        expect(lost.length).toBeGreaterThan(0);
        expect(lost.every((height) => PRUNED.has(height))).toBe(true);
        for (const height of lost) expect(await isTracedAt(database, height)).toBe(false);
        expect(await isTracedAt(database, 100)).toBe(true);
        expect(await isTracedAt(database, BLOCKS - 1)).toBe(true);
      });

      it('come from another node that has it', async () => {
        const database = await createMigratedDatabase();
        const [pruned, archive] = [await startNode(), await startNode()];
        pruned.pruned = PRUNED;
        await advanceToEnd(createEvmIndexer(database, [pruned.url, archive.url]).indexer);
        expect(await digestEvmTables(database)).toEqual(expected);
        expect(await rangesOf(database)).toEqual([`0-${BLOCKS - 1}t`]);
      });
    });

    it('are left out when the chain is configured so', async () => {
      const database = await createMigratedDatabase();
      const node = await startNode();
      await advanceToEnd(createEvmIndexer(database, [node.url], { chain: { traces: 'off' } }).indexer);
      expect(await rangesOf(database)).toEqual([`0-${BLOCKS - 1}`]);
      expect(node.count('debug_traceBlockByNumber')).toBe(0);
    });
  });

  describe('a node that is wrong', () => {
    it.each<EvmNodeMood>(['garbage', 'mixedUp', 'tooManyRequests', 'unavailable', 'silent', 'empty'])(
      'is passed over for another: %s',
      async (mood) => {
        const database = await createMigratedDatabase();
        const [bad, good] = [await startNode(), await startNode()];
        good.tip = bad.tip = 40;
        const { indexer, warnings } = createEvmIndexer(database, [bad.url, good.url], { timeoutMs: 100 });
        await advanceToEnd(indexer);
        bad.mood = mood;
        good.tip = bad.tip = BLOCKS - 1;
        await advanceToEnd(indexer);
        expect(await digestEvmTables(database)).toEqual(expected);
        expect(warnings.join()).not.toContain(good.host);
      },
    );

    it.each<EvmNodeMood>(['garbage', 'mixedUp', 'tooManyRequests', 'unavailable', 'silent'])(
      'is waited for when it is the only one: %s',
      async (mood) => {
        const database = await createMigratedDatabase();
        const node = await startNode();
        node.tip = 40;
        const { indexer } = createEvmIndexer(database, [node.url], { timeoutMs: 100 });
        await advanceToEnd(indexer);
        node.tip = BLOCKS - 1;
        node.mood = mood;
        expect((await failureOf(indexer)).code).toBe('NO_USABLE_NODE');
        expect(await rangesOf(database)).toEqual(['0-40t']);
        node.mood = 'honest';
        await advanceToEnd(indexer);
        expect(await digestEvmTables(database)).toEqual(expected);
      },
    );

    it('is waited for, visibly, when it lost its data', async () => {
      const database = await createMigratedDatabase();
      const node = await startNode();
      const { indexer } = createEvmIndexer(database, [node.url]);
      await advanceToEnd(indexer);
      node.mood = 'empty';
      const signal = new AbortController().signal;
      const progress = await indexer.advance({ durationMs: 50, signal, onProgress: () => undefined });
      expect(progress).toMatchObject({
        state: 'waiting',
        tip: 0n,
        message: expect.stringContaining('behind'),
      });
    });

    it('is left for another when its chain is another one from some block on', async () => {
      const database = await createMigratedDatabase();
      const [other, good] = [await startNode(), await startNode()];
      const history = generateEvmChain({ blocks: BLOCKS, forkedAt: SPOILT - 1 });
      other.blocks = [...blocks.slice(0, SPOILT), ...history.slice(SPOILT)];
      good.tip = other.tip = SPOILT - 1;
      const { indexer, warnings } = createEvmIndexer(database, [other.url, good.url]);
      await advanceToEnd(indexer);
      good.tip = other.tip = BLOCKS - 1;
      await advanceToEnd(indexer);
      expect(await digestEvmTables(database)).toEqual(expected);
      expect(warnings.join()).toMatch(new RegExp(`${other.host}: block ${SPOILT} .* does not follow`));
    });

    it.each(['another chain id', 'another genesis', 'other blocks from some height on'])(
      'stops the index when it is the only one: %s',
      async (kind) => {
        const database = await createMigratedDatabase();
        const node = await startNode();
        node.tip = SPOILT;
        const { indexer } = createEvmIndexer(database, [node.url]);
        await advanceToEnd(indexer);
        if (kind === 'another chain id') node.chainId = 5n;
        else
          node.blocks = generateEvmChain({ blocks: BLOCKS, forkedAt: kind === 'another genesis' ? 0 : 100 });
        if (kind === 'another genesis') node.tip = 3;
        expect((await failureOf(indexer)).code).toBe('FOREIGN_CHAIN');
        expect(await rangesOf(database)).toEqual([`0-${SPOILT}t`]);
      },
    );
  });

  it('lets only one of two write, and loses nothing when they change places', async () => {
    const database = await createMigratedDatabase();
    const node = await startNode();
    node.tip = 60;
    const [one, two] = [createEvmIndexer(database, [node.url]), createEvmIndexer(database, [node.url])];
    await advanceToEnd(one.indexer);
    await advanceToEnd(two.indexer);
    node.tip = BLOCKS - 1;
    const attempts = await Promise.allSettled([advanceToEnd(one.indexer), advanceToEnd(two.indexer)]);
    for (const attempt of attempts) {
      if (attempt.status === 'fulfilled') continue;
      expect(attempt.reason).toMatchObject({
        code: expect.stringMatching(/^(OTHER_WRITER|CHECKPOINT_MOVED)$/),
      });
    }
    await advanceToEnd(one.indexer);
    expect(await digestEvmTables(database)).toEqual(expected);
  });

  it('makes partitions as blocks come, and two workers at once get along', async () => {
    const database = await createMigratedDatabase();
    const [one, two] = [new EvmPartitions(new Database(database)), new EvmPartitions(new Database(database))];
    const chain = { network: 'mainnet', chainId: 7n } as const;
    await Promise.all([one.ensure(chain, 999_990n, 1_000_010n), two.ensure(chain, 999_990n, 1_000_010n)]);
    await two.ensure(chain, 999_990n, 1_000_010n);
    const rows = await database.query<{ name: string }[]>(
      `SELECT relid::text AS name FROM pg_partition_tree('evm_blocks') WHERE isleaf ORDER BY 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual(['evm_blocks_7_0', 'evm_blocks_7_1']);
    // As many indexes as the table itself has: those made with a partition were taken over.
    const [counts] = await database.query<{ own: number; parts: number }[]>(
      `SELECT count(*) FILTER (WHERE tablename = 'evm_transfers')::int AS own,
        count(*) FILTER (WHERE tablename = 'evm_transfers_7_1')::int AS parts FROM pg_indexes`,
    );
    expect(counts?.parts).toBe(counts?.own);
  });

  it('keeps chains of the same id on two networks apart', async () => {
    const database = await createMigratedDatabase();
    const others = generateEvmChain({ blocks: 120, seed: 2 });
    const [node, other] = [await startNode(), await startFakeEvmChain(others)];
    const twin = createEvmIndexer(database, [other.url], { chain: { network: 'mainnet' } }).indexer;
    await Promise.all([advanceToEnd(createEvmIndexer(database, [node.url]).indexer), advanceToEnd(twin)]);
    const counts = await database.query<{ blocks: number }[]>(
      'SELECT count(*)::int AS blocks FROM evm_blocks GROUP BY chain_key ORDER BY chain_key',
    );
    expect(counts.map(({ blocks: count }) => count)).toEqual([120, BLOCKS]);
    await makeWriter(database).reset({ network: 'mainnet', chainId: TEST_CHAIN.chainId });
    expect(await digestEvmTables(database)).toEqual(expected);
  });

  it('forgets one chain when told, and begins anew', async () => {
    const database = await createMigratedDatabase();
    const node = await startNode();
    const { indexer } = createEvmIndexer(database, [node.url]);
    await advanceToEnd(indexer);
    const writer = makeWriter(database);
    await writer.reset({ network: 'fuji', chainId: 99n });
    expect(await digestEvmTables(database)).toEqual(expected);
    await writer.reset(TEST_CHAIN);
    expect(Object.values(await digestEvmTables(database)).every((digest) => digest.startsWith('0 '))).toBe(
      true,
    );
    await advanceToEnd(indexer);
    expect(await digestEvmTables(database)).toEqual(expected);
  });

  describe('tokens', () => {
    const tokenOf = async (database: DataSource, contract: string) => {
      const [row] = await database.query<Record<string, unknown>[]>(
        `SELECT name, symbol, csv_symbol, decimals, unit, standard FROM evm_tokens WHERE contract = decode($1, 'hex')`,
        [contract.slice(2)],
      );
      return row;
    };

    it('are asked for once, and kept', async () => {
      const database = await createMigratedDatabase();
      const node = await startNode();
      await advanceToEnd(createEvmIndexer(database, [node.url], { batchBlocks: 10 }).indexer);
      expect(node.count('eth_call')).toBe(TOKEN_CONTRACTS.length * 7);
      expect(await tokenOf(database, TOKEN_CONTRACTS[1]!)).toEqual({
        name: 'Token 1',
        symbol: 'TK1',
        csv_symbol: 'TK1',
        decimals: 3,
        unit: '0.001',
        standard: null,
      });
    });

    it('that are hostile do no harm', async () => {
      const database = await createMigratedDatabase();
      const node = await startNode();
      const [formula, quotes, huge, undecodable, mute] = TOKEN_CONTRACTS;
      node.tokens.set(formula!, makeToken('=1+1', '=HYPERLINK("http://x","y")', 255));
      node.tokens.set(quotes!, makeToken('a "b",\r\n\tc\u0000', '"x",\ny\\N\\.', 0));
      node.tokens.set(huge!, makeToken('n'.repeat(1_000_000), 's'.repeat(1_000_000), 18));
      node.tokens.set(undecodable!, {
        name: `0x${'ff'.repeat(64)}`,
        symbol: encodeText('\ud83d\ude00 ok'),
        decimals: `0x${'ff'.repeat(32)}`,
      });
      node.tokens.delete(mute!);
      await advanceToEnd(createEvmIndexer(database, [node.url]).indexer);
      expect(await tokenOf(database, formula!)).toMatchObject({
        symbol: '=HYPERLINK("http://x","y")',
        csv_symbol: `'=HYPERLINK("http://x","y")`,
        decimals: 255,
        unit: `0.${'1'.padStart(255, '0')}`,
      });
      expect(await tokenOf(database, quotes!)).toMatchObject({
        name: 'a "b", c',
        symbol: '"x", y\\N\\.',
        unit: '1',
      });
      expect(await tokenOf(database, huge!)).toMatchObject({ symbol: 's'.repeat(64), name: 'n'.repeat(128) });
      expect(await tokenOf(database, undecodable!)).toMatchObject({
        name: null,
        symbol: '\ud83d\ude00 ok',
        decimals: null,
        unit: null,
      });
      expect(await tokenOf(database, mute!)).toMatchObject({ name: null, symbol: null, decimals: null });
    });

    it('that a node cannot ask about do not hold up the chain', async () => {
      const database = await createMigratedDatabase();
      const node = await startNode();
      node.silentContract = TOKEN_CONTRACTS[2];
      await advanceToEnd(createEvmIndexer(database, [node.url], { timeoutMs: 150 }).indexer);
      expect(await tokenOf(database, TOKEN_CONTRACTS[2]!)).toMatchObject({ symbol: null });
      expect(await tokenOf(database, TOKEN_CONTRACTS[3]!)).toMatchObject({ symbol: 'TK3' });
    });
  });
});

interface MovementRow {
  height: string;
  tx_index: number;
  tx_hash: Buffer;
  kind: Movement['kind'];
  log_index: number | null;
  batch_index: number | null;
  trace_path: string | null;
  from_address: Buffer;
  to_address: Buffer;
  contract: Buffer | null;
  token_id: string | null;
  amount: string;
}

/** All rows as the movements that they stand for, in the order of an export. */
async function movementsOnRecord(database: DataSource): Promise<(Movement & { height: bigint })[]> {
  const rows = await database.query<MovementRow[]>(`
    SELECT height, tx_index, tx_hash, kind, log_index, batch_index, trace_path, from_address, to_address, contract,
      token_id, amount FROM (
        SELECT height, tx_index, 0 AS rank, 0 AS position, tx_hash, 'NATIVE' AS kind, NULL::int AS log_index,
          NULL::int AS batch_index, NULL AS trace_path, from_address, to_address,
          CASE WHEN is_creation THEN to_address END AS contract, NULL::numeric AS token_id, value AS amount
        FROM evm_transactions WHERE is_success AND to_address IS NOT NULL AND (value > 0 OR is_creation)
        UNION ALL
        SELECT height, tx_index, 1, position, tx_hash, kind, NULL, NULL, trace_path, from_address, to_address, contract, NULL,
          amount FROM evm_internal_transfers
        UNION ALL
        SELECT height, tx_index, 2, position, tx_hash, kind, log_index, batch_index, NULL, from_address, to_address, contract,
          token_id, amount FROM evm_transfers
        UNION ALL
        SELECT height, tx_index, 3, 0, tx_hash, 'FEE', NULL, NULL, NULL, from_address, fee_recipient, NULL, NULL, fee
        FROM evm_transactions
      ) AS movements ORDER BY height, tx_index, rank, position`);
  const hex = (bytes: Buffer): Hex => `0x${bytes.toString('hex')}`;
  return rows.map((row) => ({
    height: BigInt(row.height),
    kind: row.kind,
    txHash: hex(row.tx_hash),
    txIndex: row.tx_index,
    logIndex: row.log_index,
    batchIndex: row.batch_index,
    tracePath: row.trace_path,
    from: hex(row.from_address),
    to: hex(row.to_address),
    contract: row.contract === null ? null : hex(row.contract),
    tokenId: row.token_id === null ? null : BigInt(row.token_id),
    amount: BigInt(row.amount),
  }));
}

/** Heights at which the second database has internal transfers that the first one does not have. */
async function heightsLost(database: DataSource, complete: DataSource): Promise<number[]> {
  const query = 'SELECT DISTINCT height::int FROM evm_internal_transfers ORDER BY 1';
  const [found, all] = await Promise.all(
    [database, complete].map((each) => each.query<{ height: number }[]>(query)),
  );
  const known = new Set(found?.map(({ height }) => height));
  return (all ?? []).map(({ height }) => height).filter((height) => !known.has(height));
}

async function isTracedAt(database: DataSource, height: number): Promise<boolean> {
  const range = (await rangesOf(database)).find((text) => {
    const [from, to] = text.replace('t', '').split('-').map(Number);
    return Number(from) <= height && height <= Number(to);
  });
  return range?.endsWith('t') ?? false;
}
