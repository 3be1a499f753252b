import { describe, expect, it } from '@jest/globals';
import { InMemoryNodes, type Misconduct } from '../../../test/support/chain-sync/in-memory-chain.js';
import {
  containersIn,
  InMemoryVertexStore,
  layeredVertices,
} from '../../../test/support/chain-sync/in-memory-vertices.js';
import { toHex } from '../ids/hex.js';
import { BlockServers } from './block-servers.js';
import { VertexWalk } from './vertex-walk.js';

const NODES = 12;
const CHAIN = 'ab'.repeat(32);
const named = (layer: number, place: number): Uint8Array[] => [Buffer.from(`${layer} ${place}`)];
const { vertices: history, stopVertexId } = layeredVertices(CHAIN, { layers: 150, width: 8 }, named);
const { vertices: other, stopVertexId: otherStop } = layeredVertices(CHAIN, { layers: 3, width: 5 }, named);
const strangers = containersIn(
  other.answer({ kind: 'getAncestors', containerId: Buffer.from(otherStop, 'hex'), engine: 'dag' }, 100),
);

/** A process that walks, with whatever was kept before. */
function walk(nodes: InMemoryNodes, store: InMemoryVertexStore) {
  const warnings: string[] = [];
  const ignore = (): void => undefined;
  const logger = { debug: ignore, log: ignore, warn: (text: string) => void warnings.push(text) };
  const walker = new VertexWalk(new BlockServers(nodes, new Uint8Array(32), logger), store);
  const run = (signal = new AbortController().signal, report: () => unknown = ignore): Promise<boolean> =>
    walker.run({ until: Infinity, signal, report });
  return { run, warnings };
}

const askedFor = (nodes: InMemoryNodes): string[] =>
  nodes.asked.map(({ question }) =>
    question.kind === 'getAncestors' ? toHex(question.containerId) : 'other',
  );

const begin = (perAnswer: number) => ({
  nodes: new InMemoryNodes(history, NODES, perAnswer),
  store: new InMemoryVertexStore(stopVertexId),
});

const flipped = (bytes: Uint8Array): Uint8Array => {
  const copy = bytes.slice();
  copy[copy.length - 1]! ^= 1;
  return copy;
};

const change =
  (make: (containers: readonly Uint8Array[]) => readonly Uint8Array[]): Misconduct =>
  (_, honest) =>
    make(containersIn(honest));

describe(VertexWalk.name, () => {
  it.each([1, 3, 40, 2_000])('keeps every vertex and nothing else, with answers of %d', async (perAnswer) => {
    const { nodes, store } = begin(perAnswer);
    const { run, warnings } = walk(nodes, store);
    expect(await run()).toBe(true);
    expect(new Set(store.kept.keys())).toEqual(history.ids);
    expect(warnings).toEqual([]);
    expect(nodes.mostAtOnce).toBe(1);
  });

  it('asks several nodes at the same time', async () => {
    const { nodes, store } = begin(1);
    await walk(nodes, store).run();
    expect(nodes.mostInAll).toBeGreaterThan(4);
    expect(nodes.mostInAll).toBeLessThanOrEqual(10);
  });

  it('goes on in another process without asking for anything that was kept', async () => {
    const { nodes, store } = begin(5);
    const killed = new AbortController();
    const first = walk(nodes, store).run(killed.signal, () => {
      if (store.kept.size > history.ids.size / 2) killed.abort(new Error('killed'));
    });
    await expect(first).rejects.toThrow('killed');
    const before = new Set(store.kept.keys());
    expect(before.size).toBeLessThan(history.ids.size);
    nodes.asked.length = 0;
    expect(await walk(nodes, store).run()).toBe(true);
    expect(new Set(store.kept.keys())).toEqual(history.ids);
    expect(askedFor(nodes).length).toBeGreaterThan(0);
    expect(askedFor(nodes).filter((id) => before.has(id))).toEqual([]);
  });

  it('asks nobody for what is complete', async () => {
    const { nodes, store } = begin(2_000);
    await walk(nodes, store).run();
    nodes.asked.length = 0;
    expect(await walk(nodes, store).run()).toBe(true);
    expect(nodes.asked).toEqual([]);
  });

  it.each<{ id: string; misconduct: Misconduct; isNamed: boolean }>([
    { id: 'are silent', misconduct: () => undefined, isNamed: false },
    { id: 'have nothing', misconduct: change(() => []), isNamed: false },
    { id: 'forge vertices', misconduct: change((vertices) => vertices.map(flipped)), isNamed: true },
    { id: 'send another vertex', misconduct: change(() => strangers.slice(0, 1)), isNamed: true },
    {
      id: 'break a link in the middle',
      misconduct: change((vertices) => [
        ...vertices.slice(0, 2),
        flipped(vertices[0]!),
        ...vertices.slice(2),
      ]),
      isNamed: true,
    },
    {
      id: 'add a vertex that nobody named',
      misconduct: change((vertices) => [...vertices, ...strangers]),
      isNamed: true,
    },
    {
      id: 'send a child before its parents, as if they were not needed',
      misconduct: change((vertices) => [...vertices].reverse()),
      isNamed: true,
    },
    {
      id: 'send a vertex twice',
      misconduct: change((vertices) => [...vertices, vertices[0]!]),
      isNamed: true,
    },
    { id: 'send what is no vertex', misconduct: change(() => [Uint8Array.of(1, 2)]), isNamed: true },
  ])(
    'keeps nothing wrong, and everything in the end, when some nodes $id',
    async ({ misconduct, isNamed }) => {
      const { nodes, store } = begin(5);
      nodes.misbehave(NODES / 3, misconduct);
      const { run, warnings } = walk(nodes, store);
      expect(await run()).toBe(true);
      expect(new Set(store.kept.keys())).toEqual(history.ids);
      const liars = nodes.nodeIds.slice(0, NODES / 3);
      expect(warnings.every((text) => liars.some((nodeId) => text.startsWith(nodeId)))).toBe(true);
      expect(warnings.length > 0).toBe(isNamed);
    },
  );

  it('ends with a failure that time may mend when nobody has what is wanted', async () => {
    const nodes = new InMemoryNodes(other, 60);
    const store = new InMemoryVertexStore(stopVertexId);
    await expect(walk(nodes, store).run()).rejects.toMatchObject({ code: 'NOT_SERVED' });
    expect(store.kept.size).toBe(0);
  });
});
