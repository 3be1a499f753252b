import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { Address } from '../../src/avalanche/evm/rpc/hex-values.js';
import { EvmClient } from '../../src/avalanche/evm/rpc/evm-client.js';
import { readMovements } from '../../src/avalanche/evm/transfers/movement-reader.js';
import { NO_UPGRADES } from '../../src/avalanche/evm/transfers/native-mints.js';
import { BASE, TRACES } from '../../src/indexes/evm/facets/facets.js';
import { traceBatch } from '../../src/indexes/evm/rows/trace-rows.js';
import { eventually, PATIENCE_MS } from '../support/harness/eventually.js';
import {
  generateEvmChain,
  TOKEN_CONTRACTS,
  tokenNumber,
} from '../../sandbox/generated/evm-chain-generator.js';
import type { RecordedEvmBlock } from '../../sandbox/recording/evm-recording.js';
import {
  advanceToEnd,
  createEvmIndex,
  digestEvmTables,
  makeWriter,
  rangesOf,
  setTip,
  startEvmChain,
  TEST_CHAIN,
} from '../support/evm/evm-index.js';
import { type ContractAnswers, contractOf } from '../../sandbox/generated/contract.js';
import { HttpFault } from '../../sandbox/rpc/endpoint.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { localCChainGenesis } from '../support/real-nodes/local-c-chain-genesis.js';
import { movementsOnRecord } from '../support/evm/movements-on-record.js';
import {
  advanceBriefly,
  expectToFollow,
  failureOf,
  NODE_FAILURES,
  patienceWith,
} from '../support/indexer.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { NODE_PATIENCE_MS } from '../support/node-patience.js';

const BLOCKS = 300;
const SPOILT = 170;

describe('the index of an EVM chain', () => {
  let blocks: RecordedEvmBlock[];
  let expected: Record<string, string>;
  let expectedDatabase: DataSource;
  /** Some blocks with internal transfers, in order. */
  let traced: number[];

  beforeAll(async () => {
    blocks = generateEvmChain({ blocks: BLOCKS });
    expectedDatabase = await createMigratedDatabase();
    const node = await startEvmChain(blocks);
    await advanceToEnd(createEvmIndex(expectedDatabase, [node.cChainUrl], { batchBlocks: 10_000 }));
    expected = await digestEvmTables(expectedDatabase);
    traced = (await tracedHeights(expectedDatabase)).filter((_, place) => place % 30 < 2);
  });

  const startNode = (): Promise<Sandbox> => startEvmChain(blocks);

  it.each([1, 7, 64])('has the same rows with batches of %d blocks as with one', async (batchBlocks) => {
    const database = await createMigratedDatabase();
    const node = await startNode();
    await advanceToEnd(createEvmIndex(database, [node.cChainUrl], { batchBlocks }));
    expect(await digestEvmTables(database)).toEqual(expected);
    expect(await rangesOf(database)).toEqual([`0-${BLOCKS - 1}`]);
  });

  it('has every movement of every block in its rows', async () => {
    const database = await createMigratedDatabase();
    const node = await startNode();
    await advanceToEnd(createEvmIndex(database, [node.cChainUrl]));
    const client = EvmClient.connect({ urls: [node.cChainUrl], timeoutMs: NODE_PATIENCE_MS });
    const read = await readMovements({
      client,
      traces: 'auto',
      rules: { genesis: (await localCChainGenesis()).allocations, upgrades: NO_UPGRADES },
      fromHeight: 0n,
      toHeight: BigInt(BLOCKS - 1),
    });
    client.close();
    const movements = read.flatMap(({ block, movements }) =>
      movements.map((movement) => ({ height: block.height, ...movement })),
    );
    const kinds = new Set(movements.map(({ kind }) => kind));
    expect(kinds.size).toBe(7);
    expect(await movementsOnRecord(database)).toEqual(movements);
  });

  it('restores where it stood at any block', async () => {
    const database = await createMigratedDatabase();
    const node = await startNode();
    for (const tip of [0, 1, 33, 34, 100, BLOCKS - 1]) {
      setTip(node, tip);
      await advanceToEnd(createEvmIndex(database, [node.cChainUrl])); // knows nothing but the rows
      expect(await rangesOf(database)).toEqual([`0-${tip}`]);
    }
    expect(await digestEvmTables(database)).toEqual(expected);
  });

  it('follows the tip', async () => {
    const database = await createMigratedDatabase();
    const node = await startNode();
    setTip(node, 50);
    const index = createEvmIndex(database, [node.cChainUrl]);
    await expectToFollow(index.follower, (height) => setTip(node, height), [50, BLOCKS - 1]);
    await advanceToEnd(index);
    expect(await digestEvmTables(database)).toEqual(expected);
  });

  describe('with internal transfers', () => {
    it('fills them in once a node has a tracer', async () => {
      const database = await createMigratedDatabase();
      const node = await startNode();
      node.setCChainBehaviour({ kind: 'noTracer' });
      const index = createEvmIndex(database, [node.cChainUrl]);
      await advanceToEnd(index);
      expect(await rangesOf(database)).toEqual([`0-${BLOCKS - 1}`]);
      expect(await rangesOf(database, 'traces')).toContainEqual(expect.stringMatching(/\?$/));
      node.setCChainBehaviour({ kind: 'honest' });
      await database.query("UPDATE index_coverage SET checked_at = now() - interval '2 hours'");
      await eventually('all traces', async () => {
        await advanceBriefly(index.traces!);
        return (await rangesOf(database, 'traces')).join() === `0-${BLOCKS - 1}`;
      });
      expect(await digestEvmTables(database)).toEqual(expected);
    });

    it('leaves them out at blocks whose state is gone, and puts that on record', async () => {
      const database = await createMigratedDatabase();
      const node = await startNode();
      node.setCChainBehaviour({ kind: 'pruned', heights: traced });
      await advanceToEnd(createEvmIndex(database, [node.cChainUrl]));
      const lost = await heightsLost(database, expectedDatabase);
      expect(lost.length).toBeGreaterThan(2);
      expect(lost).toEqual(traced);
      const holes = (await rangesOf(database, 'traces')).filter((range) => range.endsWith('?'));
      expect(holes).toEqual(
        expect.arrayContaining(lost.map((height) => expect.stringContaining(`${height}`))),
      );
      expect(await rangesOf(database)).toEqual([`0-${BLOCKS - 1}`]);
    });

    it('takes them from whichever node has the state', async () => {
      const database = await createMigratedDatabase();
      const [pruned, archive] = [await startNode(), await startNode()];
      pruned.setCChainBehaviour({ kind: 'pruned', heights: traced });
      await advanceToEnd(createEvmIndex(database, [pruned.cChainUrl, archive.cChainUrl]));
      expect(await digestEvmTables(database)).toEqual(expected);
      expect(await rangesOf(database, 'traces')).toEqual([`0-${BLOCKS - 1}`]);
    });

    it("lacks them only at the block at which a node's handler crashes", async () => {
      const database = await createMigratedDatabase();
      const node = await startNode();
      const crash = traced.at(-1) ?? 0;
      node.setCChainBehaviour({ kind: 'tracerCrash', heights: [crash] });
      await advanceToEnd(createEvmIndex(database, [node.cChainUrl]));
      expect(await heightsLost(database, expectedDatabase)).toEqual([crash]);
      expect(await rangesOf(database, 'traces')).toContain(`${crash}-${crash}?`);
      expect(await rangesOf(database)).toEqual([`0-${BLOCKS - 1}`]);
    });

    it('gets them from a slow tracer newest first, without holding up the blocks', async () => {
      const database = await createMigratedDatabase();
      const node = await startNode();
      node.setNodeBehaviour({ slowMethods: { debug_traceBlockByNumber: 1_000 } });
      setTip(node, 0);
      const index = createEvmIndex(database, [node.cChainUrl]);
      const running = new AbortController();
      const request = {
        durationMs: PATIENCE_MS,
        signal: running.signal,
        onProgress: (): void => undefined,
      };
      const working = [index.follower, index.base, index.traces!].map((each) => each.advance(request));
      for (const each of working) each.catch(() => undefined);
      // Every new block is there long before the older ones are traced.
      for (const tip of [100, 200, BLOCKS - 1]) {
        setTip(node, tip);
        await eventually('the tip', async () => (await rangesOf(database)).join() === `0-${tip}`);
      }
      expect(await rangesOf(database, 'traces')).not.toEqual([`0-${BLOCKS - 1}`]);
      node.setNodeBehaviour({});
      await eventually('the newest traces', async () =>
        ((await rangesOf(database, 'traces')).at(-1) ?? '').endsWith(`-${BLOCKS - 1}`),
      );
      await eventually(
        'all traces',
        async () => (await rangesOf(database, 'traces')).join() === `0-${BLOCKS - 1}`,
      );
      running.abort(new Error('enough'));
      await Promise.allSettled(working);
      expect(await digestEvmTables(database)).toEqual(expected);
    });

    it('refuses those of blocks that were read again since they were looked up', async () => {
      const database = await createMigratedDatabase();
      const node = await startNode();
      await advanceToEnd(createEvmIndex(database, [node.cChainUrl], { chain: { traces: 'off' } }));
      // Looked up when a reset had just emptied the tables.
      const outdated = traceBatch(TEST_CHAIN, { from: 0n, to: BigInt(BLOCKS - 1) }, []);
      await expect(
        makeWriter(database).write({ chain: TEST_CHAIN, facets: [outdated] }),
      ).rejects.toMatchObject({ code: 'CHECKPOINT_MOVED' });
      expect(await rangesOf(database, 'traces')).toEqual([]);
      await advanceToEnd(createEvmIndex(database, [node.cChainUrl]));
      expect(await digestEvmTables(database)).toEqual(expected);
    });

    it('leaves them out when the chain is configured so', async () => {
      const database = await createMigratedDatabase();
      const node = await startNode();
      await advanceToEnd(createEvmIndex(database, [node.cChainUrl], { chain: { traces: 'off' } }));
      expect(await rangesOf(database, 'traces')).toEqual([]);
      expect(node.calls['debug_traceBlockByNumber']).toBeUndefined();
    });
  });

  it('makes rows of an older decoder again, in the background', async () => {
    const database = await createMigratedDatabase();
    const node = await startNode();
    await advanceToEnd(createEvmIndex(database, [node.cChainUrl]));
    await database.query('UPDATE index_coverage SET version = 0');
    await database.query('UPDATE evm_transactions SET fee = 1');
    await database.query('UPDATE evm_internal_transfers SET amount = 1');
    await advanceToEnd(createEvmIndex(database, [node.cChainUrl]));
    expect(await digestEvmTables(database)).toEqual(expected);
    expect(await rangesOf(database)).toEqual([`0-${BLOCKS - 1}`]);
  });

  it('reads a part again on request, of one facet and some heights', async () => {
    const database = await createMigratedDatabase();
    const node = await startNode();
    const writer = makeWriter(database);
    const index = createEvmIndex(database, [node.cChainUrl], { writer });
    await advanceToEnd(index);
    await database.query('UPDATE evm_transactions SET fee = 1 WHERE height >= 70');
    await database.query('UPDATE evm_internal_transfers SET amount = 987654321 WHERE height < 80');
    for (const facet of [TRACES, BASE]) await writer.renew(TEST_CHAIN, facet, { from: 50n, to: 79n });
    // The old rows answer until then.
    expect(await rangesOf(database)).toEqual(['0-49', '50-79', `80-${BLOCKS - 1}`]);
    await advanceToEnd(index);
    const [wrong] = await database.query<{ fees: string; amounts: string }[]>(
      `SELECT (SELECT min(height) FROM evm_transactions WHERE fee = 1) AS fees,
         (SELECT max(height) FROM evm_internal_transfers WHERE amount = 987654321) AS amounts`,
    );
    expect(await rangesOf(database)).toEqual([`0-${BLOCKS - 1}`]);
    expect(wrong).toEqual({ fees: '80', amounts: expect.stringMatching(/^4\d$/) });
  });

  describe('with a node that is wrong', () => {
    const passing = ['garbage', 'mixedUp', 'tooManyRequests', 'unavailable', 'silent'] as const;
    const misbehave = (node: Sandbox, trouble: (typeof passing)[number] | 'empty'): void => {
      switch (trouble) {
        case 'garbage':
          return node.setCChainBehaviour({ kind: 'garbage', form: 'quantity' });
        case 'mixedUp':
          return node.setCChainBehaviour({ kind: 'garbage', form: 'receipts' });
        case 'empty':
          return node.setCChainBehaviour({ kind: 'empty' });
        default:
          node.setCChainBehaviour({ kind: 'honest' });
          node.setNodeBehaviour(NODE_FAILURES[trouble]);
      }
    };

    it.each([...passing, 'empty'] as const)('passes it over for another: %s', async (trouble) => {
      const database = await createMigratedDatabase();
      const [bad, good] = [await startNode(), await startNode()];
      for (const each of [good, bad]) setTip(each, 40);
      const timeoutMs = [patienceWith(trouble), NODE_PATIENCE_MS];
      const index = createEvmIndex(database, [bad.cChainUrl, good.cChainUrl], { timeoutMs });
      await advanceToEnd(index);
      misbehave(bad, trouble);
      setTip(good, BLOCKS - 1);
      await advanceToEnd(index);
      expect(await digestEvmTables(database)).toEqual(expected);
      expect(index.warnings.join()).not.toContain(good.host);
    });

    it.each(passing)('waits for it when it is the only one: %s', async (trouble) => {
      const database = await createMigratedDatabase();
      const node = await startNode();
      setTip(node, 40);
      const index = createEvmIndex(database, [node.cChainUrl]);
      await advanceToEnd(index);
      misbehave(node, trouble);
      const impatient = createEvmIndex(database, [node.cChainUrl], { timeoutMs: patienceWith(trouble) });
      expect((await failureOf(advanceToEnd(impatient))).code).toBe('NO_USABLE_NODE');
      expect(await rangesOf(database)).toEqual(['0-40']);
      node.setCChainBehaviour({ kind: 'honest' });
      node.setNodeBehaviour({});
      // One that spoke of a limit is left alone for a moment.
      await eventually('it goes on', () =>
        advanceToEnd(index).then(
          () => true,
          () => false,
        ),
      );
      expect(await digestEvmTables(database)).toEqual(expected);
    });

    it('waits for it, visibly, when it lost its data', async () => {
      const database = await createMigratedDatabase();
      const node = await startNode();
      const index = createEvmIndex(database, [node.cChainUrl]);
      await advanceToEnd(index);
      node.setCChainBehaviour({ kind: 'empty' });
      const signal = new AbortController().signal;
      const progress = await index.follower.advance({ durationMs: 50, signal, onProgress: () => undefined });
      expect(progress).toMatchObject({
        state: 'waiting',
        tip: 0n,
        message: expect.stringContaining('behind'),
      });
    });

    it('leaves it for another when its chain is another one from some block on', async () => {
      const database = await createMigratedDatabase();
      const [other, good] = [await startNode(), await startNode()];
      const history = generateEvmChain({ blocks: BLOCKS, forkedAt: SPOILT - 1 });
      other.cChain.replaceBlocks([...blocks.slice(0, SPOILT), ...history.slice(SPOILT)]);
      for (const each of [good, other]) setTip(each, SPOILT - 1);
      const index = createEvmIndex(database, [other.cChainUrl, good.cChainUrl]);
      await advanceToEnd(index);
      for (const each of [good, other]) setTip(each, BLOCKS - 1);
      await advanceToEnd(index);
      expect(await digestEvmTables(database)).toEqual(expected);
      expect(index.warnings.join('\n')).toMatch(
        new RegExp(`^node 1: block ${SPOILT} .* does not follow.*\\(${other.host}\\)`, 'm'),
      );
    });

    it.each(['another chain id', 'another genesis', 'other blocks from some height on'])(
      'stops when it is the only one: %s',
      async (kind) => {
        const database = await createMigratedDatabase();
        const node = await startNode();
        setTip(node, SPOILT);
        const index = createEvmIndex(database, [node.cChainUrl]);
        await advanceToEnd(index);
        if (kind === 'another chain id') {
          node.setNodeBehaviour({ answers: { eth_chainId: '0x5' } });
        } else {
          const forkedAt = kind === 'another genesis' ? 0 : 100;
          node.cChain.replaceBlocks(generateEvmChain({ blocks: BLOCKS, forkedAt }));
        }
        if (kind === 'another genesis') setTip(node, 3);
        expect((await failureOf(advanceToEnd(index))).code).toBe('FOREIGN_CHAIN');
        expect(await rangesOf(database)).toEqual([`0-${SPOILT}`]);
      },
    );
  });

  it('lets only one of two write, and loses nothing when they change places', async () => {
    const database = await createMigratedDatabase();
    const node = await startNode();
    setTip(node, 60);
    const [one, two] = [
      createEvmIndex(database, [node.cChainUrl]),
      createEvmIndex(database, [node.cChainUrl]),
    ];
    await advanceToEnd(one);
    await advanceToEnd(two);
    setTip(node, BLOCKS - 1);
    const attempts = await Promise.allSettled([advanceToEnd(one), advanceToEnd(two)]);
    for (const attempt of attempts) {
      if (attempt.status === 'fulfilled') continue;
      expect(attempt.reason).toMatchObject({
        code: expect.stringMatching(/^(OTHER_WRITER|CHECKPOINT_MOVED)$/),
      });
    }
    await advanceToEnd(one);
    expect(await digestEvmTables(database)).toEqual(expected);
  });

  it('keeps chains of the same id on two networks apart', async () => {
    const database = await createMigratedDatabase();
    const others = generateEvmChain({ blocks: 120, seed: 2 });
    const [node, other] = [await startNode(), await startEvmChain(others)];
    const twin = createEvmIndex(database, [other.cChainUrl], { chain: { network: 'mainnet' } });
    await Promise.all([advanceToEnd(createEvmIndex(database, [node.cChainUrl])), advanceToEnd(twin)]);
    const counts = await database.query<{ blocks: number }[]>(
      'SELECT count(*)::int AS blocks FROM evm_blocks GROUP BY chain_key ORDER BY chain_key',
    );
    expect(counts.map(({ blocks: count }) => count)).toEqual([120, BLOCKS]);
    await makeWriter(database).goBack({ network: 'mainnet', chainId: TEST_CHAIN.chainId }, 0n);
    // Tokens stay on record, to be asked again.
    expect(await digestEvmTables(database)).toEqual({ ...expected, evm_tokens: expect.anything() });
  });

  it('forgets one chain on request, and begins anew', async () => {
    const database = await createMigratedDatabase();
    const node = await startNode();
    const index = createEvmIndex(database, [node.cChainUrl]);
    await advanceToEnd(index);
    const writer = makeWriter(database);
    await writer.goBack({ network: 'fuji', chainId: 99n }, 0n);
    expect(await digestEvmTables(database)).toEqual(expected);
    await writer.goBack(TEST_CHAIN, 0n);
    const { evm_tokens: tokens, ...others } = await digestEvmTables(database);
    expect(Object.values(others).every((digest) => digest.startsWith('0 '))).toBe(true);
    expect(tokens).not.toBe(expected['evm_tokens']);
    await advanceToEnd(index);
    expect(await digestEvmTables(database)).toEqual(expected);
  });

  describe('with tokens', () => {
    const tokenOf = async (database: DataSource, contract: string) => {
      const [row] = await database.query<Record<string, unknown>[]>(
        `SELECT name, symbol, csv_symbol, decimals, unit FROM evm_tokens WHERE contract = decode($1, 'hex')`,
        [contract.slice(2)],
      );
      return row;
    };

    it('asks for them once, and keeps their answers', async () => {
      const database = await createMigratedDatabase();
      const node = await startNode();
      let calls = 0;
      for (const [index, contract] of TOKEN_CONTRACTS.entries()) {
        const answer = contractOf(tokenNumber(index));
        node.cChain.contracts.set(contract, (data, block) => {
          calls += 1;
          return answer(data, block);
        });
      }
      await advanceToEnd(createEvmIndex(database, [node.cChainUrl], { batchBlocks: 10 }));
      expect(calls).toBe(TOKEN_CONTRACTS.length * 3);
      expect(await tokenOf(database, TOKEN_CONTRACTS[1]!)).toEqual({
        name: 'Token 1',
        symbol: 'TK1',
        csv_symbol: 'TK1',
        decimals: 3,
        unit: '0.001',
      });
    });

    it('takes no harm from hostile ones', async () => {
      const database = await createMigratedDatabase();
      const node = await startNode();
      const [formula, quotes, huge, undecodable, mute] = TOKEN_CONTRACTS;
      const { contracts } = node.cChain;
      const setToken = (token: Address, name: ContractAnswers['name'], symbol: string, decimals: bigint) =>
        contracts.set(token, contractOf({ name, symbol, decimals }));
      setToken(formula!, '=1+1', '=HYPERLINK("http://x","y")', 255n);
      setToken(quotes!, 'a "b",\r\n\tc\u0000', '"x",\ny\\N\\.', 0n);
      setToken(huge!, 'n'.repeat(1_000_000), 's'.repeat(1_000_000), 18n);
      setToken(undecodable!, { raw: `0x${'ff'.repeat(64)}` }, '\ud83d\ude00 ok', 2n ** 256n - 1n);
      contracts.set(mute!, contractOf({}));
      await advanceToEnd(createEvmIndex(database, [node.cChainUrl]));
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

    it('is not held up by some that a node cannot ask about', async () => {
      const database = await createMigratedDatabase();
      const node = await startNode();
      node.cChain.contracts.set(TOKEN_CONTRACTS[2]!, () => {
        throw new HttpFault('silence');
      });
      // A contract is three calls, and so a request of its own.
      await advanceToEnd(createEvmIndex(database, [node.cChainUrl], { timeoutMs: 2_000, maxBatchCalls: 3 }));
      expect(await tokenOf(database, TOKEN_CONTRACTS[2]!)).toMatchObject({ symbol: null });
      expect(await tokenOf(database, TOKEN_CONTRACTS[3]!)).toMatchObject({ symbol: 'TK3' });
    });
  });
});

/** Heights at which the second database has internal transfers that the first one does not have. */
async function heightsLost(database: DataSource, complete: DataSource): Promise<number[]> {
  const known = new Set(await tracedHeights(database));
  return (await tracedHeights(complete)).filter((height) => !known.has(height));
}

async function tracedHeights(database: DataSource): Promise<number[]> {
  const rows = await database.query<{ height: number }[]>(
    'SELECT DISTINCT height::int FROM evm_internal_transfers ORDER BY 1',
  );
  return rows.map(({ height }) => height);
}
