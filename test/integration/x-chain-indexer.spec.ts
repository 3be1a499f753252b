import { beforeAll, describe, expect, it } from '@jest/globals';
import { parseAvmBlock } from '../../src/avalanche/avm/codec/block.js';
import { packAvmBlock } from '../support/x-chain/avm-values.js';
import { amountOf } from '../support/x-chain/avm-values.js';
import type { AvmGenesis } from '../../src/avalanche/avm/genesis/genesis.js';
import type { AvmTransaction } from '../../src/avalanche/avm/transaction.js';
import { Database } from '../../src/platform/database/database.js';
import { XChainWriter } from '../../src/indexes/x-chain/x-chain-writer.js';
import { eventually, PATIENCE_MS } from '../support/harness/eventually.js';
import { HttpFault } from '../../sandbox/rpc/endpoint.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import {
  advanceBriefly,
  advanceToTip,
  checkpointOf,
  digestTables,
  failureOf,
  NODE_FAILURES,
  patienceWith,
  workUntil,
} from '../support/indexer.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { NODE_PATIENCE_MS } from '../support/node-patience.js';
import {
  type GeneratedXBlock,
  xGenesis,
  XChainGenerator,
} from '../../sandbox/generated/x-chain-generator.js';
import { createXIndexer, startXChain } from '../support/x-chain/x-chain-index.js';

const BLOCKS = 150;
const SPOILT = 90;

function setTip(node: Sandbox, height: number): void {
  node.setXChainBehaviour({ kind: 'tip', height });
}

describe('the index of the X-chain', () => {
  let genesis: AvmGenesis;
  let blocks: GeneratedXBlock[];
  let otherBlocks: GeneratedXBlock[];
  let expected: Record<string, string>;

  beforeAll(async () => {
    genesis = await xGenesis();
    blocks = new XChainGenerator(genesis).take(BLOCKS);
    otherBlocks = new XChainGenerator(genesis, 'another history').take(BLOCKS);
    const database = await createMigratedDatabase();
    const node = await startNode();
    await advanceToTip(createXIndexer(database, [node.url], { batchBlocks: 1_000_000 }).indexer);
    expected = await digestTables(database);
  });

  const startNode = (): Promise<Sandbox> => startXChain(genesis, blocks);

  it('begins with the genesis, and follows what its blocks do', async () => {
    const database = await createMigratedDatabase();
    const node = await startNode();
    setTip(node, 0);
    await advanceToTip(createXIndexer(database, [node.url]).indexer);
    const own = genesis.assets.flatMap(({ transaction }) =>
      transaction.initialStates.flatMap(({ outputs }) => outputs),
    );
    const [found] = await database.query<{ count: string; sum: string; heights: string[] }[]>(
      `SELECT count(*), sum(amount), array_agg(DISTINCT block_height) AS heights FROM utxos`,
    );
    expect(found).toEqual({
      count: String(own.length),
      sum: String(own.reduce((sum, output) => sum + amountOf(output), 0n)),
      heights: ['-1'],
    });
    expect(await database.query('SELECT name, symbol, denomination FROM assets')).toEqual([
      { name: 'Avalanche', symbol: 'AVAX', denomination: 9 },
    ]);
    setTip(node, BLOCKS - 1);
    await advanceToTip(createXIndexer(database, [node.url]).indexer);
    const [sums] = await database.query<{ burned: string; left: string }[]>(
      `SELECT (SELECT sum(burned) FROM x_chain_transactions) AS burned,
        (SELECT sum(amount) FROM utxos JOIN assets USING (network, asset_id)
          WHERE symbol = 'AVAX' AND consuming_tx_id IS NULL) AS left`,
    );
    const [imported] = await database.query<{ sum: string }[]>(
      `SELECT sum(amount) FROM utxos WHERE block_time IS NULL`,
    );
    const began = own.reduce((sum, output) => sum + amountOf(output), 0n);
    expect(BigInt(sums!.burned) + BigInt(sums!.left)).toBe(began + BigInt(imported!.sum));
  });

  it.each([1, 7, 64])('has the same rows with batches of %d blocks as with one', async (batchBlocks) => {
    expect(expected['x_chain_transactions']).toMatch(/^298 /);
    const database = await createMigratedDatabase();
    const node = await startNode();
    await advanceToTip(createXIndexer(database, [node.url], { batchBlocks }).indexer);
    expect(await digestTables(database)).toEqual(expected);
    expect(await checkpointOf(database)).toBe(BLOCKS - 1);
  });

  it('goes on from the rows at any block', async () => {
    const database = await createMigratedDatabase();
    const node = await startNode();
    for (const tip of [0, 1, 33, 34, 100, BLOCKS - 1]) {
      setTip(node, tip);
      await advanceToTip(createXIndexer(database, [node.url]).indexer); // knows nothing but the rows
      expect(await checkpointOf(database)).toBe(tip);
    }
    expect(await digestTables(database)).toEqual(expected);
  });

  it.each(['garbage', 'silent', 'unavailable', 'empty'] as const)(
    'reads from another node when one is %s',
    async (trouble) => {
      const database = await createMigratedDatabase();
      const [bad, good] = [await startNode(), await startNode()];
      if (trouble === 'garbage') bad.setXChainBehaviour({ kind: 'garbage', form: 'noise' });
      else if (trouble === 'empty') bad.setXChainBehaviour({ kind: 'empty' });
      else bad.setNodeBehaviour(NODE_FAILURES[trouble]);
      const timeoutMs = [patienceWith(trouble), NODE_PATIENCE_MS];
      await advanceToTip(createXIndexer(database, [bad.url, good.url], { timeoutMs }).indexer);
      expect(await digestTables(database)).toEqual(expected);
    },
  );

  it('stops before a block that spends what is not there, and goes on when another node has a better one', async () => {
    const database = await createMigratedDatabase();
    const block = parseAvmBlock(blocks[SPOILT]!.bytes);
    const spoilt = packAvmBlock({ ...block, transactions: withOtherInputs(block.transactions) });
    const node = await startXChain(genesis, [...blocks.slice(0, SPOILT), { bytes: spoilt }]);
    const { indexer } = createXIndexer(database, [node.url], { batchBlocks: 1 });
    await expect(failureOf(advanceToTip(indexer))).resolves.toMatchObject({
      code: 'STATE_MISMATCH',
      message: expect.stringContaining('which was never created or is spent'),
    });
    expect(await checkpointOf(database)).toBe(SPOILT - 1);
    await advanceToTip(createXIndexer(database, [node.url, (await startNode()).url]).indexer);
    expect(await digestTables(database)).toEqual(expected);
  });

  it('stops at a block that it cannot read, having read all before it', async () => {
    const database = await createMigratedDatabase();
    const node = await startNode();
    node.setXChainBehaviour({ kind: 'replaced', height: SPOILT, bytes: '00000000004d' });
    const { indexer } = createXIndexer(database, [node.url]);
    await expect(failureOf(advanceToTip(indexer))).resolves.toMatchObject({ code: 'UNKNOWN_TYPE_ID' });
    expect(await checkpointOf(database)).toBe(SPOILT - 1);
  });

  it.each([
    ['was started anew', () => startXChain(genesis, otherBlocks)],
    ['is of another network', async () => startXChain(await xGenesis(5), blocks)],
  ])('stops when the only node %s', async (_, startOther) => {
    const database = await createMigratedDatabase();
    const node = await startNode();
    await advanceToTip(createXIndexer(database, [node.url]).indexer);
    const other = await startOther();
    await expect(
      failureOf(advanceToTip(createXIndexer(database, [other.url]).indexer)),
    ).resolves.toMatchObject({
      code: 'FOREIGN_CHAIN',
    });
    expect(await digestTables(database)).toEqual(expected);
  });

  it('lets one of two processes write', async () => {
    const database = await createMigratedDatabase();
    const node = await startNode();
    setTip(node, 10);
    const [first, second] = [createXIndexer(database, [node.url]), createXIndexer(database, [node.url])];
    await advanceToTip(first.indexer);
    await advanceToTip(second.indexer);
    setTip(node, BLOCKS - 1);
    await Promise.all(
      [first, second].map(({ indexer }) =>
        eventually('the tip', async () => {
          try {
            await advanceToTip(indexer);
            return true;
          } catch (error) {
            if (error instanceof Error && 'code' in error && error.code === 'CHECKPOINT_MOVED') {
              return false;
            }
            throw error;
          }
        }),
      ),
    );
    expect(await digestTables(database)).toEqual(expected);
  });

  it('forgets everything and begins again', async () => {
    const database = await createMigratedDatabase();
    const node = await startNode();
    const { indexer } = createXIndexer(database, [node.url]);
    await advanceToTip(indexer);
    await new XChainWriter(new Database(database)).reset('fuji');
    indexer.forget();
    const empty = await digestTables(database);
    for (const table of ['x_chain_transactions', 'assets', 'utxos', 'utxo_listings', 'index_checkpoints']) {
      expect(empty[table]).toMatch(/^0 /);
    }
    await advanceToTip(indexer);
    expect(await digestTables(database)).toEqual(expected);
  });

  describe('with a network that is older than blocks', () => {
    let mainnet: AvmGenesis;
    let history: AvmTransaction[];
    let later: GeneratedXBlock[];

    beforeAll(async () => {
      mainnet = await xGenesis(1);
      const generator = new XChainGenerator(mainnet);
      history = generator.takeTransactions(1_500);
      later = generator.take(20);
    });

    it.each([1_000_000, 70])(
      'reads what there was before from an index of transactions, in batches of %d',
      async (batchBlocks) => {
        const database = await createMigratedDatabase();
        const plain = await startXChain(mainnet, later);
        const indexed = await startXChain(mainnet, later, history);
        // In one go: an answer holds a thousand transactions.
        const running = new AbortController();
        const advancing = createXIndexer(database, [plain.url, indexed.url], { batchBlocks }).indexer.advance(
          {
            durationMs: PATIENCE_MS,
            signal: running.signal,
            onProgress: ({ height }) => height === 19n && running.abort(new Error('at the tip')),
          },
        );
        await expect(advancing).rejects.toThrow('at the tip');
        const [found] = await database.query<object[]>(
          `SELECT count(*) FILTER (WHERE block_height = -1) AS before, count(*) FILTER (WHERE block_height > 0) AS after,
             min(block_time) AS first, max(block_time) FILTER (WHERE block_height = -1) AS last,
             (SELECT count(*) FROM utxos WHERE block_time IS NULL AND created_on_chain_id = $1) AS unknown
           FROM x_chain_transactions`,
          [Buffer.from(mainnet.identity.blockchainId, 'hex')],
        );
        expect(found).toEqual({
          before: '1500',
          after: '38',
          first: '1599696000',
          last: expect.stringMatching(/^1682/),
          unknown: '0',
        });
      },
    );

    it('waits with the reason while nobody has it, and goes on once somebody does', async () => {
      const database = await createMigratedDatabase();
      const node = await startXChain(mainnet, later);
      const progress = await advanceBriefly(createXIndexer(database, [node.url]).indexer);
      expect(progress).toMatchObject({
        state: 'waiting',
        height: -1n,
        tip: 19n,
        message:
          'what there was before blocks (Cortina) is not to be had now: no node has an index of its transactions ' +
          '(--index-enabled), and from the validators: this process has no peers yet',
      });
      const indexed = await startXChain(mainnet, later, history);
      await workUntil(createXIndexer(database, [node.url, indexed.url]).indexer, 19);
    });

    it('takes no index for the whole whose node still reads the chain itself', async () => {
      const database = await createMigratedDatabase();
      const node = await startXChain(mainnet, later);
      const reading = await startXChain(mainnet, later, history.slice(0, 500));
      const isRefused = (): never => {
        throw new HttpFault({ status: 503, body: 'chain is not done bootstrapping\n', headers: {} });
      };
      reading.setNodeBehaviour({ answers: { 'avm.getHeight': isRefused } });
      const progress = await advanceBriefly(createXIndexer(database, [node.url, reading.url]).indexer);
      expect(progress).toMatchObject({ state: 'waiting', height: -1n });
      const indexed = await startXChain(mainnet, later, history);
      await workUntil(createXIndexer(database, [node.url, indexed.url]).indexer, 19);
    });

    it('waits when the index that it was begun with has gone', async () => {
      const database = await createMigratedDatabase();
      const indexed = await startXChain(mainnet, later, history);
      const { indexer } = createXIndexer(database, [indexed.url], { batchBlocks: 70 });
      await advanceBriefly(indexer, 1); // an answer of the index holds a thousand
      const shorter = await startXChain(mainnet, later, history.slice(1));
      const progress = await advanceBriefly(createXIndexer(database, [shorter.url]).indexer);
      expect(progress).toMatchObject({
        state: 'waiting',
        message: expect.stringContaining('no node has the index of all 1500 transactions'),
      });
      await workUntil(createXIndexer(database, [shorter.url, indexed.url]).indexer, 19);
    });
  });
});

function withOtherInputs(transactions: readonly AvmTransaction[]): AvmTransaction[] {
  return transactions.map(({ unsigned, ...rest }) => {
    const inputs = unsigned.inputs.map((input) => ({ ...input, txId: 'ab'.repeat(32) }));
    return { ...rest, unsigned: { ...unsigned, inputs } };
  });
}
