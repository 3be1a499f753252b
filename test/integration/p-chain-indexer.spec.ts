import { beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '../../src/platform/database/database.js';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { packBlock, parseBlock } from '../../src/avalanche/platformvm/codec/block.js';
import { knownUpgrades, NEVER } from '../../src/avalanche/platformvm/state/upgrade-times.js';
import { IndexError, mustStop } from '../../src/indexes/engine/following/index.error.js';
import { PChainWriter } from '../../src/indexes/p-chain/p-chain-writer.js';
import type { NodeBehaviourInput, PChainBehaviourInput, Sandbox } from '../../sandbox/sandbox.js';
import {
  advanceToTip,
  checkpointOf,
  digestTables,
  expectToFollow,
  failureOf,
  NODE_FAILURES,
  patienceWith,
} from '../support/indexer.js';
import { createIndexer, startPChain, WITHOUT_INDEX_API } from '../support/p-chain/p-chain-index.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { PATIENCE_MS } from '../support/harness/eventually.js';
import { NODE_PATIENCE_MS } from '../support/node-patience.js';
import {
  type GeneratedBlock,
  LOCAL_UPGRADES,
  localGenesis,
  PChainGenerator,
} from '../../sandbox/generated/p-chain-generator.js';

const BLOCKS = 160;
const SPOILT = 90;

function setTip(node: Sandbox, height: number): void {
  node.setPChainBehaviour({ kind: 'tip', height });
}

function instead(height: number, bytes: Uint8Array): PChainBehaviourInput {
  return { kind: 'replaced', height, bytes: toHex(bytes) };
}

function withUpgrades(upgrades: Record<string, string>): NodeBehaviourInput {
  return { without: ['index'], answers: { 'info.upgrades': upgrades } };
}

describe('the index of the P-chain', () => {
  let blocks: GeneratedBlock[];
  let otherBlocks: GeneratedBlock[];
  let expected: Record<string, string>;

  beforeAll(async () => {
    const genesis = await localGenesis();
    blocks = new PChainGenerator(genesis).take(BLOCKS);
    otherBlocks = new PChainGenerator(genesis, 'another history').take(BLOCKS);
    const database = await createMigratedDatabase();
    const node = await startPChain(blocks);
    await advanceToTip(createIndexer(database, [node.url], { batchBlocks: 1_000_000 }).indexer);
    expected = await digestTables(database);
  });

  const startNode = (): Promise<Sandbox> => startPChain(blocks);

  it.each([1, 7, 64])('has the same rows with batches of %d blocks as with one', async (batchBlocks) => {
    expect(expected['p_chain_transactions']).toMatch(/^2\d\d /);
    const database = await createMigratedDatabase();
    const node = await startNode();
    await advanceToTip(createIndexer(database, [node.url], { batchBlocks }).indexer);
    expect(await digestTables(database)).toEqual(expected);
    expect(await checkpointOf(database)).toBe(BLOCKS - 1);
  });

  it('restores its state from the rows at any block', async () => {
    const database = await createMigratedDatabase();
    const node = await startNode();
    for (const tip of [0, 1, 33, 34, 100, BLOCKS - 1]) {
      setTip(node, tip);
      await advanceToTip(createIndexer(database, [node.url]).indexer); // knows nothing but the rows
      expect(await checkpointOf(database)).toBe(tip);
    }
    expect(await digestTables(database)).toEqual(expected);
  });

  it('reads from the index API where there is one, and stops asking where there is none', async () => {
    const [first, second] = [await createMigratedDatabase(), await createMigratedDatabase()];
    const [indexed, plain] = [await startNode(), await startNode()];
    indexed.setNodeBehaviour({});
    // In one go: after a pause too few blocks would be left for the index API.
    const running = new AbortController();
    const advancing = createIndexer(first, [indexed.url]).indexer.advance({
      durationMs: PATIENCE_MS,
      signal: running.signal,
      onProgress: ({ height }) => height === BigInt(BLOCKS - 1) && running.abort(new Error('at the tip')),
    });
    await expect(advancing).rejects.toThrow('at the tip');
    await advanceToTip(createIndexer(second, [plain.url]).indexer);
    expect(await digestTables(first)).toEqual(expected);
    expect(await digestTables(second)).toEqual(expected);
    expect(indexed.calls['platform.getBlockByHeight'] ?? 0).toBeLessThan(10);
    expect(plain.calls['index.getContainerRange']).toBe(1);
  });

  it('lists each UTXO for its owners and as a whole, where it was created and where it can be spent', async () => {
    const database = await createMigratedDatabase();
    const node = await startNode();
    await advanceToTip(createIndexer(database, [node.url], { batchBlocks: 9 }).indexer);
    // The expected lists, from the UTXOs themselves.
    const [row] = await database.query<Record<string, number>[]>(`
      WITH expected AS (
        SELECT letter AS chain, address, consuming_tx_id IS NOT NULL OR chain_id <> spendable_on_chain_id AS is_spent, block_time, amount, utxo_id, asset_id,
          owner_threshold AS threshold
        FROM utxos
        JOIN (
          SELECT decode(repeat('00', 32), 'hex') AS chain_id, 'P' AS letter
          UNION ALL SELECT blockchain_id, left(name, 1) FROM blockchains WHERE name IN ('X-Chain', 'C-Chain')
        ) AS chains ON chain_id IN (created_on_chain_id, spendable_on_chain_id)
        CROSS JOIN LATERAL unnest(owner_addresses || ''::bytea) AS address
        WHERE block_time IS NOT NULL
      ), listed AS (
        SELECT chain, address, is_spent, block_time, amount, utxo_id, asset_id, threshold FROM utxo_listings
      )
      SELECT (SELECT count(*)::int FROM (SELECT * FROM expected EXCEPT ALL SELECT * FROM listed) AS a) AS missing,
        (SELECT count(*)::int FROM (SELECT * FROM listed EXCEPT ALL SELECT * FROM expected) AS b) AS unexpected,
        (SELECT count(*)::int FROM listed WHERE chain = 'C') AS exported,
        (SELECT count(*)::int FROM listed WHERE is_spent) AS spent,
        (SELECT count(*)::int FROM listed WHERE threshold > 1) AS shared,
        (SELECT count(*)::int FROM utxos WHERE block_time IS NULL) AS imported
    `);
    const { missing, unexpected, ...counts } = row ?? {};
    expect({ missing, unexpected }).toEqual({ missing: 0, unexpected: 0 });
    for (const [kind, count] of Object.entries(counts)) expect([kind, count]).not.toEqual([kind, 0]);
  });

  it('follows the tip', async () => {
    const database = await createMigratedDatabase();
    const node = await startNode();
    setTip(node, 50);
    const { indexer } = createIndexer(database, [node.url]);
    await expectToFollow(indexer, (height) => setTip(node, height), [50, BLOCKS - 1]);
    expect(await digestTables(database)).toEqual(expected);
  });

  describe('with a node that is wrong', () => {
    const spoil: Record<string, (block: GeneratedBlock) => Uint8Array> = {
      'bytes of no block': () => new Uint8Array(50).fill(9),
      'a block of an unknown type': ({ bytes }) => Uint8Array.from(bytes, (byte, i) => (i === 5 ? 99 : byte)),
      'a block cut short': ({ bytes }) => bytes.subarray(0, bytes.length - 3),
      'the block before': () => blocks[SPOILT - 1]!.bytes,
      'a block of another history': () => otherBlocks[SPOILT]!.bytes,
      'a block that contradicts the state': ({ bytes }) => {
        const block = parseBlock(bytes);
        return packBlock({ ...block, type: 'BanffCommit', time: 1n });
      },
    };

    it.each(Object.keys(spoil))('leaves it for another: %s', async (kind) => {
      const database = await createMigratedDatabase();
      const [wrong, right] = [await startNode(), await startNode()];
      wrong.setPChainBehaviour(instead(SPOILT, spoil[kind]!(blocks[SPOILT]!)));
      const { indexer, warnings } = createIndexer(database, [wrong.url, right.url]);
      await advanceToTip(indexer);
      expect(await digestTables(database)).toEqual(expected);
      expect(warnings.join()).toContain(wrong.host);
    });

    it.each([
      { kind: 'bytes of no block', code: 'MALFORMED' },
      { kind: 'a block of an unknown type', code: 'UNKNOWN_TYPE_ID' },
      { kind: 'a block cut short', code: 'MALFORMED' },
      { kind: 'the block before', code: 'WRONG_PARENT' },
      { kind: 'a block of another history', code: 'WRONG_PARENT' },
      { kind: 'a block that contradicts the state', code: 'STATE_MISMATCH' },
    ])('stops just before the block that all nodes show: $kind', async ({ kind, code }) => {
      const database = await createMigratedDatabase();
      const nodes = [await startNode(), await startNode()];
      for (const node of nodes) node.setPChainBehaviour(instead(SPOILT, spoil[kind]!(blocks[SPOILT]!)));
      const { indexer } = createIndexer(
        database,
        nodes.map(({ url }) => url),
      );
      expect(await failureOf(advanceToTip(indexer))).toMatchObject({ code });
      expect(await checkpointOf(database)).toBe(SPOILT - 1);
      // Somebody mends the nodes.
      for (const node of nodes) node.setPChainBehaviour({ kind: 'honest' });
      await advanceToTip(indexer);
      expect(await digestTables(database)).toEqual(expected);
    });

    it('stops at a block that spends what is not there', async () => {
      const database = await createMigratedDatabase();
      const place = blocks.findIndex(({ bytes }) => {
        const block = parseBlock(bytes);
        return (
          block.type === 'BanffStandard' &&
          block.transactions[0]?.unsigned.type === 'Base' &&
          block.height > 20n
        );
      });
      const block = parseBlock(blocks[place]!.bytes);
      if (block.type !== 'BanffStandard' || block.transactions[0]?.unsigned.type !== 'Base') {
        throw new Error('no');
      }
      const [transaction] = block.transactions;
      const { unsigned } = transaction;
      if (unsigned.type !== 'Base') throw new Error('no');
      const inputs = unsigned.inputs.map((input) => ({ ...input, outputIndex: input.outputIndex + 7 }));
      const forged = { ...transaction, unsigned: { ...unsigned, inputs } };
      const bytes = packBlock({ ...block, transactions: [forged, ...block.transactions.slice(1)] });
      const node = await startPChain([...blocks.slice(0, place), { bytes }]);
      expect(
        await failureOf(advanceToTip(createIndexer(database, [node.url], { batchBlocks: 10 }).indexer)),
      ).toMatchObject({
        code: 'STATE_MISMATCH',
        message: expect.stringContaining('never created or is spent'),
      });
    });
  });

  describe('with a node that is busy or away', () => {
    const passing = ['tooManyRequests', 'unavailable', 'wrongChecksum', 'silent'] as const;
    const misbehave = (node: Sandbox, trouble: (typeof passing)[number] | 'garbage' | 'empty'): void => {
      switch (trouble) {
        case 'wrongChecksum':
          return node.setPChainBehaviour({ kind: 'garbage', form: 'checksum' });
        case 'garbage':
          return node.setPChainBehaviour({ kind: 'garbage', form: 'noise' });
        case 'empty':
          return node.setPChainBehaviour({ kind: 'empty' });
        default:
          node.setPChainBehaviour({ kind: 'honest' });
          node.setNodeBehaviour(NODE_FAILURES[trouble]);
      }
    };

    it.each(passing)('fails in a way that is retried: %s', async (trouble) => {
      const database = await createMigratedDatabase();
      const node = await startNode();
      setTip(node, 40);
      const { indexer } = createIndexer(database, [node.url]);
      await advanceToTip(indexer);
      misbehave(node, trouble);
      const impatient = createIndexer(database, [node.url], { timeoutMs: patienceWith(trouble) }).indexer;
      const { code } = await failureOf(advanceToTip(impatient));
      expect(code).toMatch(/^(NODE_UNREACHABLE|NODE_TIMED_OUT|NODE_BAD_RESPONSE|NO_USABLE_NODE)$/);
      node.setPChainBehaviour({ kind: 'honest' });
      node.setNodeBehaviour(WITHOUT_INDEX_API);
      await advanceToTip(indexer);
      expect(await digestTables(database)).toEqual(expected);
    });

    it.each([...passing, 'garbage', 'empty'] as const)('passes it over for another: %s', async (trouble) => {
      const database = await createMigratedDatabase();
      const [bad, good] = [await startNode(), await startNode()];
      for (const node of [bad, good]) setTip(node, 40);
      const timeoutMs = [patienceWith(trouble), NODE_PATIENCE_MS];
      const { indexer } = createIndexer(database, [bad.url, good.url], { timeoutMs });
      await advanceToTip(indexer);
      misbehave(bad, trouble);
      setTip(good, BLOCKS - 1);
      await advanceToTip(indexer);
      expect(await digestTables(database)).toEqual(expected);
    });

    it('waits, and reports it, when the only node lost its data', async () => {
      const database = await createMigratedDatabase();
      const node = await startNode();
      setTip(node, 40);
      const { indexer } = createIndexer(database, [node.url]);
      await advanceToTip(indexer);
      node.setPChainBehaviour({ kind: 'empty' });
      const signal = new AbortController().signal;
      const progress = await indexer.advance({ durationMs: 50, signal, onProgress: () => undefined });
      expect(progress).toMatchObject({
        state: 'waiting',
        height: 40n,
        tip: 0n,
        message: expect.stringMatching(/^node 1 is behind the index: height 0 < 40/),
      });
      setTip(node, BLOCKS - 1);
      await advanceToTip(indexer);
      expect(await digestTables(database)).toEqual(expected);
    });

    it('takes garbage even where the index has been for a broken node, not for an unreadable chain', async () => {
      const database = await createMigratedDatabase();
      const node = await startNode();
      setTip(node, 40);
      const { indexer } = createIndexer(database, [node.url]);
      await advanceToTip(indexer);
      node.setPChainBehaviour({ kind: 'garbage', form: 'noise' });
      expect((await failureOf(advanceToTip(indexer))).code).toBe('NO_USABLE_NODE');
    });

    it('asks it for less when it is too busy', async () => {
      const database = await createMigratedDatabase();
      const node = await startNode();
      node.setNodeBehaviour({ delayMs: 5, without: ['index'] });
      await advanceToTip(createIndexer(database, [node.url], { concurrency: 8 }).indexer);
      expect(node.mostRequestsAtOnce).toBeLessThanOrEqual(8);
      expect(node.mostRequestsAtOnce).toBeGreaterThan(2);
    });
  });

  it('stops when it is of another chain', async () => {
    const database = await createMigratedDatabase();
    const node = await startNode();
    setTip(node, 40);
    await advanceToTip(createIndexer(database, [node.url]).indexer);
    const stranger = await startPChain(otherBlocks);
    expect(await failureOf(advanceToTip(createIndexer(database, [stranger.url]).indexer))).toMatchObject({
      code: 'FOREIGN_CHAIN',
      message: expect.stringContaining(`at height 40, the index has ${blocks[40]!.id}`),
    });
    // Together with the right one it only is of no use.
    setTip(node, BLOCKS - 1);
    await advanceToTip(createIndexer(database, [stranger.url, node.url]).indexer);
    expect(await digestTables(database)).toEqual(expected);
  });

  describe('with the times of upgrades', () => {
    const changed = { ...LOCAL_UPGRADES, cortinaTime: '2020-12-06T05:00:00Z' };

    it('keeps them with the checkpoint, and stops when one that has come into force changes', async () => {
      const database = await createMigratedDatabase();
      const node = await startNode();
      setTip(node, 40);
      await advanceToTip(createIndexer(database, [node.url]).indexer);
      setTip(node, BLOCKS - 1);
      node.setNodeBehaviour(withUpgrades(changed));
      expect(await failureOf(advanceToTip(createIndexer(database, [node.url]).indexer))).toMatchObject({
        code: 'OTHER_UPGRADES',
        message: expect.stringContaining('cortina 2020-12-06T05:00:00.000Z, not 2020-12-05T05:00:00.000Z'),
      });
      expect(await checkpointOf(database)).toBe(40);
      node.setNodeBehaviour(WITHOUT_INDEX_API);
      await advanceToTip(createIndexer(database, [node.url]).indexer);
      expect(await digestTables(database)).toEqual(expected);
    });

    it('leaves a node whose times differ for another, and names it', async () => {
      const database = await createMigratedDatabase();
      const [wrong, right] = [await startNode(), await startNode()];
      for (const node of [wrong, right]) setTip(node, 40);
      await advanceToTip(createIndexer(database, [wrong.url, right.url]).indexer);
      wrong.setNodeBehaviour(withUpgrades(changed));
      for (const node of [wrong, right]) setTip(node, BLOCKS - 1);
      const { indexer, warnings } = createIndexer(database, [wrong.url, right.url]);
      const blocksOfWrong = wrong.calls['platform.getBlockByHeight'];
      await advanceToTip(indexer);
      expect(await digestTables(database)).toEqual(expected);
      expect(wrong.calls['platform.getBlockByHeight']).toBe(blocksOfWrong);
      expect(warnings.join()).toContain(`${wrong.host} follows other rules: cortina 2020-12-06`);
    });

    it('cannot compare those of a node that does not report them', async () => {
      const database = await createMigratedDatabase();
      const [reporting, ahead] = [await startNode(), await startNode()];
      setTip(reporting, 40);
      ahead.setNodeBehaviour({ without: ['index', 'info.upgrades'] });
      await advanceToTip(createIndexer(database, [reporting.url, ahead.url]).indexer);
      expect(await digestTables(database)).toEqual(expected);
    });

    it('lets them be set and moved while they are ahead of the chain', async () => {
      const database = await createMigratedDatabase();
      const node = await startNode();
      setTip(node, 40);
      await advanceToTip(createIndexer(database, [node.url]).indexer);
      setTip(node, BLOCKS - 1);
      node.setNodeBehaviour(withUpgrades({ ...LOCAL_UPGRADES, heliconTime: '2100-01-01T00:00:00Z' }));
      await advanceToTip(createIndexer(database, [node.url]).indexer);
      const [row] = await database.query<{ helicon: string }[]>(
        `SELECT state -> 'upgrades' ->> 'helicon' AS helicon FROM index_checkpoints`,
      );
      expect(Number(row?.helicon)).toBe(Date.UTC(2100) / 1000);
    });

    it("takes this version's for mainnet and Fuji, and has rows made by others made anew", async () => {
      const database = await createMigratedDatabase();
      const node = await startNode();
      const recordRows = (upgrades: object): Promise<unknown> =>
        database.query(
          `INSERT INTO index_checkpoints (network, chain, height, block_id, block_time, state)
           VALUES ('fuji', 'p-chain', 7, $1, $2, $3)
           ON CONFLICT (network, chain) DO UPDATE SET state = EXCLUDED.state`,
          [
            Buffer.from(blocks[7]!.id, 'hex'),
            Date.UTC(2026, 7, 1) / 1000,
            {
              accruedFees: '0',
              validatorExcess: '0',
              genesisId: 'ab'.repeat(32),
              networkId: 5,
              upgrades,
              recentBlocks: [],
            },
          ],
        );
      const fuji = knownUpgrades(5)!;
      await recordRows({ ...fuji, helicon: NEVER });
      expect(await failureOf(advanceToTip(createIndexer(database, [node.url]).indexer))).toMatchObject({
        code: 'OTHER_UPGRADES',
        message: expect.stringContaining('helicon never, not 2026-07-28T15:00:00.000Z'),
      });
      await recordRows(fuji);
      expect((await failureOf(advanceToTip(createIndexer(database, [node.url]).indexer))).code).toBe(
        'UNKNOWN_GENESIS',
      );
    });
  });

  describe('with the limits of chain and tables', () => {
    const MAX_WEIGHT = 2n ** 64n - 1n;

    it('takes what the chain allows: six permissioned validators of the largest weight', async () => {
      const generator = new PChainGenerator(await localGenesis());
      const start = generator.take(10);
      const owner = { locktime: 0n, threshold: 1, addresses: ['11'.repeat(20)] };
      const created = generator.order((base) => [{ type: 'CreateSubnet', ...base, owner }]);
      const [subnetId = ''] = created.txIds;
      const added = generator.order((base) =>
        Array.from({ length: 6 }, (_, i) => ({
          type: 'AddSubnetValidator',
          ...base,
          subnetId,
          subnetAuth: { signatureIndices: [0] },
          validator: { nodeId: `${i}${i}`.repeat(20), start: 0n, end: 4_000_000_000n, weight: MAX_WEIGHT },
        })),
      );
      const database = await createMigratedDatabase();
      const node = await startPChain([...start, created, added]);
      await advanceToTip(createIndexer(database, [node.url]).indexer);
      const rows = await database.query<{ weight: string }[]>(
        'SELECT total_weight AS weight FROM subnet_stakes WHERE subnet_id = $1',
        [Buffer.from(subnetId, 'hex')],
      );
      expect(rows).toEqual([{ weight: (6n * MAX_WEIGHT).toString() }]);
    });

    it('stops with an alarm at what the chain allows and the tables cannot hold', async () => {
      const database = await createMigratedDatabase();
      const [node, other] = [await startNode(), await startNode()];
      for (const each of [node, other]) setTip(each, 40);
      const { indexer } = createIndexer(database, [node.url, other.url]);
      await advanceToTip(indexer);
      for (const each of [node, other]) setTip(each, BLOCKS - 1);
      await database.query(
        'ALTER TABLE p_chain_transactions ADD CONSTRAINT narrow CHECK (block_height < 90)',
      );
      const failure = await failureOf(advanceToTip(indexer));
      expect(failure).toMatchObject({ code: 'ROW_REFUSED', message: expect.stringContaining('narrow') });
      expect(mustStop(new IndexError('ROW_REFUSED', failure.message))).toBe(true);
      expect(await checkpointOf(database)).toBeLessThan(90);
      await database.query('ALTER TABLE p_chain_transactions DROP CONSTRAINT narrow');
      await advanceToTip(indexer);
      expect(await digestTables(database)).toEqual(expected);
    });
  });

  it('lets only one of two processes write', async () => {
    const database = await createMigratedDatabase();
    const node = await startNode();
    const contenders = [1, 2, 3].map(() => createIndexer(database, [node.url], { batchBlocks: 5 }).indexer);
    const outcomes = await Promise.all(
      contenders.map(async (indexer) => {
        const losses: string[] = [];
        for (;;) {
          try {
            await advanceToTip(indexer);
            return losses;
          } catch (error) {
            if (!(error instanceof Error) || !('code' in error)) throw error;
            losses.push(String(error.code));
          }
        }
      }),
    );
    expect(outcomes.flat().length).toBeGreaterThan(0);
    expect(new Set(outcomes.flat())).toEqual(
      new Set(outcomes.flat().filter((code) => ['OTHER_WRITER', 'CHECKPOINT_MOVED'].includes(code))),
    );
    expect(await digestTables(database)).toEqual(expected);
  });

  it('begins again at the genesis after a reset, and leaves the other network alone', async () => {
    const database = await createMigratedDatabase();
    const node = await startNode();
    const { indexer } = createIndexer(database, [node.url]);
    await advanceToTip(indexer);
    const writer = new PChainWriter(new Database(database));
    await writer.reset('mainnet');
    expect(await digestTables(database)).toEqual(expected);
    await writer.reset('fuji');
    expect(Object.values(await digestTables(database)).every((digest) => digest.startsWith('0 '))).toBe(true);
    await advanceToTip(indexer);
    expect(await digestTables(database)).toEqual(expected);
  });
});
