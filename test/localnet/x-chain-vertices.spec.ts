import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { xGenesis, XChainGenerator } from '../../sandbox/generated/x-chain-generator.js';
import { parseAvmTransaction } from '../../src/avalanche/avm/codec/transaction.js';
import type { AvmGenesis } from '../../src/avalanche/avm/genesis/genesis.js';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import type { PeerNetwork } from '../../src/avalanche/p2p/network/peer-network.js';
import type { Linearization } from '../../src/indexes/x-chain/history/linearization.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { PATIENCE_MS } from '../support/harness/eventually.js';
import { digestTables, workUntil } from '../support/indexer.js';
import { connectTo, peersSetting } from '../support/p2p/connect-to.js';
import { VertexNodes } from '../support/real-nodes/vertex-nodes.js';
import { createXIndexer, startXChain } from '../support/x-chain/x-chain-index.js';

const NODES = 4;
/** So that the history takes many answers. */
const MAX_CONTAINERS = 9;
const BLOCKS = 4;

/** Every id that peers are asked for. */
function recordAsked(peers: PeerNetwork): string[] {
  const asked: string[] = [];
  const ask = peers.ask.bind(peers);
  peers.ask = (question, request) => {
    if (question.kind === 'getAncestors') asked.push(toHex(question.containerId));
    return ask(question, request);
  };
  return asked;
}

describe('the X-chain from before blocks, as vertices that avalanchego makes and serves', () => {
  let genesis: AvmGenesis;
  let nodes: VertexNodes;
  let linearization: Linearization;
  let state: Awaited<ReturnType<VertexNodes['state']>>;
  let expected: Record<string, string>;

  const blocks = (): Uint8Array[] => new XChainGenerator(genesis).take(BLOCKS, 0).map(({ bytes }) => bytes);
  const startNode = (before?: readonly Uint8Array[]) =>
    startXChain(
      genesis,
      blocks().map((bytes) => ({ bytes })),
      before?.map(parseAvmTransaction),
    );

  /** The same history through a node's index of transactions. */
  beforeAll(async () => {
    await VertexNodes.build();
    genesis = await xGenesis();
    nodes = await VertexNodes.start(genesis, { nodes: NODES, maxContainers: MAX_CONTAINERS });
    state = await nodes.state();
    linearization = { time: genesis.time + 100_000_000, stopVertexId: state.stopVertex };
    const database = await createMigratedDatabase();
    const node = await startNode(state.transactions.map(fromHex));
    await workUntil(createXIndexer(database, [node.url], { linearization }).indexer, BLOCKS - 1);
    expected = await digestTables(database);
  });

  const connect = async () => {
    const addresses = await nodes.addresses();
    const peers = await connectTo(addresses);
    const validators = { peers: () => peers, config: { sandbox: true, peers: peersSetting(addresses) } };
    return { asked: recordAsked(peers), validators };
  };

  /** A node without an index of them, and an index of its own each time. */
  const begin = async (before?: readonly Uint8Array[]) => {
    const node = await startNode(before);
    const { asked, validators } = await connect();
    const database = await createMigratedDatabase();
    const again = (batchBlocks?: number) =>
      createXIndexer(database, [node.url], { batchBlocks, validators, linearization }).indexer;
    return { asked, database, again };
  };

  const keptIn = async (database: DataSource): Promise<string[]> => {
    const rows = await database.query<{ id: string }[]>(
      `SELECT encode(vertex_id, 'hex') AS id FROM x_chain_vertices WHERE bytes IS NOT NULL`,
    );
    return rows.map(({ id }) => id);
  };

  it('has all the shapes that are to be shown', () => {
    expect(state.vertices).toBeGreaterThan(430);
    expect(expected['x_chain_transactions']).toMatch(new RegExp(`^${state.transactions.length} `));
    const types = state.transactions.map((hex) => parseAvmTransaction(fromHex(hex)).unsigned.type);
    expect(new Set(types)).toEqual(new Set(['Base', 'CreateAsset', 'Operation', 'Import', 'Export']));
  });

  it.each([1, 1_000])(
    'is row for row what an index of its transactions gives, in batches of %d',
    async (batch) => {
      const { database, again } = await begin();
      await workUntil(again(batch), BLOCKS - 1);
      expect(await digestTables(database)).toEqual(expected);
      expect(expected['x_chain_vertices']).toMatch(/^0 /);
    },
  );

  it('is taken from the vertices where a node has begun to index too late', async () => {
    const { database, again } = await begin(state.transactions.slice(1).map(fromHex));
    await workUntil(again(), BLOCKS - 1);
    expect(await digestTables(database)).toEqual(expected);
  });

  it('is read on where another process was killed, without asking again for any vertex that was kept', async () => {
    const { asked, database, again } = await begin();
    const killed = new AbortController();
    const first = again().advance({
      durationMs: PATIENCE_MS,
      signal: killed.signal,
      onProgress: () => {
        if (asked.length > state.vertices / MAX_CONTAINERS / 2) killed.abort(new Error('killed'));
      },
    });
    await expect(first).rejects.toThrow('killed');
    const kept = new Set(await keptIn(database));
    expect(kept.size).toBeGreaterThan(0);
    expect(kept.size).toBeLessThan(state.vertices);
    asked.length = 0;
    await workUntil(again(), BLOCKS - 1);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((id) => kept.has(id))).toEqual([]);
    expect(await digestTables(database)).toEqual(expected);
  });

  it('is executed on where another process was killed', async () => {
    const { asked, database, again } = await begin();
    const killed = new AbortController();
    const first = again(10).advance({
      durationMs: PATIENCE_MS,
      signal: killed.signal,
      onProgress: ({ message }) => {
        const executed = /has executed (\d+) of/.exec(message ?? '')?.[1];
        if (Number(executed) >= 200) killed.abort(new Error('killed'));
      },
    });
    await expect(first).rejects.toThrow('killed');
    expect(await keptIn(database)).toHaveLength(state.vertices);
    asked.length = 0;
    await workUntil(again(10), BLOCKS - 1);
    expect(asked).toEqual([]);
    expect(await digestTables(database)).toEqual(expected);
  });
});
