import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sha256Id } from '../../../avalanche/platformvm/codec/sha256.js';
import { DependencyOrder } from './dependency-order.js';

const idOf = (name: number): string => sha256Id(Buffer.from(String(name)));

/** Names in the order in which they are added, each with those that it depends on. */
type Graph = readonly (readonly [name: number, dependencies: readonly number[]])[];

async function sort(graph: Graph): Promise<number[]> {
  const order = new DependencyOrder();
  for (const [name, dependencies] of graph) order.add(idOf(name), dependencies.map(idOf));
  return [...(await order.sort())];
}

/** The same in the plainest way. */
function plainly(graph: Graph): number[] {
  const added = new Set(graph.map(([name]) => name));
  const left = graph.map((_, rank) => rank);
  const done = new Set<number>();
  const order: number[] = [];
  while (left.length > 0) {
    const next = left.findIndex((rank) =>
      graph[rank]![1].every((dependency) => done.has(dependency) || !added.has(dependency)),
    );
    const [rank = -1] = left.splice(next, 1);
    done.add(graph[rank]![0]);
    order.push(rank);
  }
  return order;
}

describe(DependencyOrder.name, () => {
  it('keeps the order of what does not depend on each other', async () => {
    expect(
      await sort([
        [3, []],
        [1, [9]],
        [2, []],
      ]),
    ).toEqual([0, 1, 2]);
  });

  it('lets what depends on something wait for it, and what was added first go first otherwise', async () => {
    expect(
      await sort([
        [5, [7]],
        [6, []],
        [7, []],
        [8, [5, 5]],
      ]),
    ).toEqual([1, 2, 0, 3]);
  });

  it('counts what is added twice where it was added first', async () => {
    const order = new DependencyOrder();
    expect([order.add(idOf(1), []), order.add(idOf(2), [idOf(1)]), order.add(idOf(1), [])]).toEqual([
      true,
      true,
      false,
    ]);
    expect([...(await order.sort())]).toEqual([0, 1]);
  });

  it('refuses a circle', async () => {
    await expect(
      sort([
        [1, [2]],
        [2, [1]],
        [3, []],
      ]),
    ).rejects.toMatchObject({ code: 'STATE_MISMATCH' });
  });

  it('is that of the plainest way to work it out', async () => {
    // Whom each depends on comes before it in one order, and all are added in another one.
    const graph = fc.integer({ min: 1, max: 60 }).chain((size) =>
      fc.record({
        dependencies: fc.array(fc.array(fc.nat(), { maxLength: 4 }), { minLength: size, maxLength: size }),
        added: fc.shuffledSubarray(
          Array.from({ length: size }, (_, i) => i),
          { minLength: size },
        ),
      }),
    );
    await fc.assert(
      fc.asyncProperty(graph, async ({ dependencies, added }) => {
        const made: Graph = added.map((name) => [
          name,
          name === 0 ? [] : dependencies[name]!.map((dependency) => dependency % name),
        ]);
        expect(await sort(made)).toEqual(plainly(made));
      }),
    );
  });

  it('orders many that wait for the one that was added last', async () => {
    const count = 20_000;
    const graph: Graph = Array.from({ length: count }, (_, i) => [i, i === count - 1 ? [] : [i + 1]]);
    expect(await sort(graph)).toEqual(Array.from({ length: count }, (_, i) => count - 1 - i));
  });
});
