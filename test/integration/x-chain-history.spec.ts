import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import {
  type GeneratedXBlock,
  xGenesis,
  XChainGenerator,
} from '../../sandbox/generated/x-chain-generator.js';
import { packAvmTransaction } from '../../src/avalanche/avm/codec/transaction.js';
import type { AvmGenesis } from '../../src/avalanche/avm/genesis/genesis.js';
import type { AvmTransaction } from '../../src/avalanche/avm/transaction.js';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { sha256Id } from '../../src/avalanche/platformvm/codec/sha256.js';
import type { Id } from '../../src/avalanche/platformvm/ids.js';
import { XChainWriter } from '../../src/indexes/x-chain/x-chain-writer.js';
import { Database } from '../../src/platform/database/database.js';
import { InMemoryNodes, type Misconduct } from '../support/chain-sync/in-memory-chain.js';
import {
  containersIn,
  type InMemoryVertices,
  layeredVertices,
} from '../support/chain-sync/in-memory-vertices.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { PATIENCE_MS } from '../support/harness/eventually.js';
import { digestTables, workUntil } from '../support/indexer.js';
import { sortByHash } from '../support/x-chain/vertices.js';
import { createXIndexer, startXChain } from '../support/x-chain/x-chain-index.js';

const TRANSACTIONS = 304;
const WIDTH = 4;
const NODES = 9;
/** More than are asked the same thing. */
const MANY_NODES = 50;
const PER_ANSWER = 5;
const TIP = 9;

/** Of transactions in no order at all, some of them in two vertices. */
function scatter(chainId: Id, transactions: readonly AvmTransaction[]) {
  const scattered = sortByHash(transactions.map(packAvmTransaction));
  const perVertex = 2;
  const shape = { layers: TRANSACTIONS / WIDTH / perVertex, width: WIDTH };
  return layeredVertices(chainId, shape, (layer, place) => {
    const first = (layer * WIDTH + place) * perVertex;
    const again = first % 7 === 0 && first > 0 ? [scattered[first - 1]!] : [];
    return sortByHash([...scattered.slice(first, first + perVertex), ...again]);
  });
}

/** In the order in which they are to be executed, worked out in the plainest way. */
function inOrder(vertices: InMemoryVertices, transactions: readonly AvmTransaction[]): AvmTransaction[] {
  const byId = new Map(transactions.map((transaction) => [transaction.id, transaction]));
  const byPlace = [...vertices.all].sort((a, b) =>
    a.height === b.height ? (a.id < b.id ? -1 : 1) : Number(a.height - b.height),
  );
  const left = new Set(byPlace.flatMap((vertex) => vertex.transactions.map(sha256Id)));
  const ordered: AvmTransaction[] = [];
  while (left.size > 0) {
    const next = [...left].find((id) => !spentBy(byId.get(id)!).some((spent) => left.has(spent)))!;
    left.delete(next);
    ordered.push(byId.get(next)!);
  }
  return ordered;
}

function spentBy({ unsigned }: AvmTransaction): Id[] {
  const operations = unsigned.type === 'Operation' ? unsigned.operations : [];
  return [...unsigned.inputs, ...operations.flatMap(({ inputs }) => inputs)].map(({ txId }) => txId);
}

describe('the X-chain from before blocks, from the vertices of its validators', () => {
  let genesis: AvmGenesis;
  let blocks: GeneratedXBlock[];
  let graph: ReturnType<typeof scatter>;
  let expected: Record<string, string>;

  beforeAll(async () => {
    genesis = await xGenesis(1);
    const generator = new XChainGenerator(genesis);
    const transactions = generator.takeTransactions(TRANSACTIONS);
    blocks = generator.take(TIP + 1);
    graph = scatter(genesis.identity.blockchainId, transactions);
    const ordered = inOrder(graph.vertices, transactions);
    expect(ordered.map(({ id }) => id)).not.toEqual(transactions.map(({ id }) => id));
    const database = await createMigratedDatabase();
    const node = await startXChain(genesis, blocks, ordered);
    await workUntil(createXIndexer(database, [node.url], { linearization: linearization() }).indexer, TIP);
    expected = await digestTables(database);
  });

  const linearization = () => ({ time: genesis.time + 1_000_000, stopVertexId: graph.stopVertexId });

  /** A node that has blocks only, and validators that have vertices only. */
  const begin = async (count = NODES) => {
    const node = await startXChain(genesis, blocks);
    const nodes = new InMemoryNodes(graph.vertices, count, PER_ANSWER);
    const peers = Object.assign(nodes, { networkId: 1, track: () => () => undefined });
    const validators = { peers: () => peers, config: { sandbox: true, peers: [] } };
    const database = await createMigratedDatabase();
    const again = (batchBlocks?: number) =>
      createXIndexer(database, [node.url], { batchBlocks, validators, linearization: linearization() });
    return { nodes, database, again };
  };

  const keptIn = async (database: DataSource): Promise<Set<string>> => {
    const rows = await database.query<{ id: string }[]>(
      `SELECT encode(vertex_id, 'hex') AS id FROM x_chain_vertices WHERE bytes IS NOT NULL`,
    );
    return new Set(rows.map(({ id }) => id));
  };

  const askedFor = ({ asked }: InMemoryNodes): string[] =>
    asked.flatMap(({ question }) =>
      question.kind === 'getAncestors' && question.engine === 'dag' ? [toHex(question.containerId)] : [],
    );

  it.each([1, 64, 100_000])(
    'has the same rows as from an index in that order, in batches of %d',
    async (batch) => {
      const { database, again } = await begin();
      await workUntil(again(batch).indexer, TIP);
      expect(await digestTables(database)).toEqual(expected);
    },
  );

  it('goes on in another process wherever the first one was, and asks for no vertex twice', async () => {
    const { nodes, database, again } = await begin();
    const isDone = async (): Promise<boolean> => {
      const [row] = await database.query<{ height: string }[]>('SELECT height FROM index_checkpoints');
      return Number(row?.height ?? -1) >= TIP;
    };
    let turns = 0;
    while (!(await isDone())) {
      const before = await keptIn(database);
      nodes.asked.length = 0;
      await endAfter(again(40), 2 + (turns % 3));
      expect(askedFor(nodes).filter((id) => before.has(id))).toEqual([]);
      turns += 1;
    }
    expect(turns).toBeGreaterThan(5);
    expect(await digestTables(database)).toEqual(expected);
  });

  /** As if killed after so many steps. */
  const endAfter = async ({ indexer }: ReturnType<typeof createXIndexer>, steps: number): Promise<void> => {
    const killed = new AbortController();
    let reports = 0;
    const onProgress = (): void => {
      reports += 1;
      if (reports >= steps) killed.abort(new Error('killed'));
    };
    const working = indexer.advance({ durationMs: PATIENCE_MS, signal: killed.signal, onProgress });
    await expect(working).rejects.toThrow('killed');
  };

  it.each<[string, Misconduct]>([
    ['silent', () => undefined],
    ['empty', () => []],
    ['forged', (_, honest) => containersIn(honest).map((bytes) => Uint8Array.from([...bytes, 0]))],
  ])('has nothing wrong in it when a third of the validators are %s', async (_, misconduct) => {
    const { nodes, database, again } = await begin();
    nodes.misbehave(NODES / 3, misconduct);
    await workUntil(again().indexer, TIP);
    expect(await digestTables(database)).toEqual(expected);
  });

  it('waits with the reason while no validator gives a vertex, and goes on once one does', async () => {
    const { nodes, database, again } = await begin(MANY_NODES);
    nodes.misbehave(MANY_NODES, () => []);
    const waiting = new AbortController();
    const messages: (string | null)[] = [];
    const working = again().indexer.advance({
      durationMs: PATIENCE_MS,
      signal: waiting.signal,
      onProgress: ({ state, height, message }) => {
        if (state !== 'waiting' || height !== -1n) return;
        messages.push(message);
        waiting.abort(new Error('it waits'));
      },
    });
    await expect(working).rejects.toThrow('it waits');
    expect(messages).toEqual([
      'what there was before blocks (Cortina) is not to be had now: no node has an index of its transactions ' +
        '(--index-enabled), and from the validators: none of 40 nodes had what was asked for',
    ]);
    nodes.misconducts.clear();
    await workUntil(again().indexer, TIP);
    expect(await digestTables(database)).toEqual(expected);
  });

  it('forgets the vertices with everything else, and begins again', async () => {
    const { database, again } = await begin();
    await endAfter(again(), 5);
    expect((await keptIn(database)).size).toBeGreaterThan(0);
    await new XChainWriter(new Database(database)).reset('fuji');
    expect(await keptIn(database)).toEqual(new Set());
    await workUntil(again().indexer, TIP);
    expect(await digestTables(database)).toEqual(expected);
  });
});
