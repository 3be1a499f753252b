import { describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Item, Places } from './places.js';

describe(Places.name, () => {
  const make = () => {
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const limits = { atWork: { inAll: 3, ofGroup: 2 }, waiting: { inAll: 4, ofGroup: 3 } };
    const places = new Places<Item>(limits, ({ id }) => {
      begun.push(id);
      return new Promise((resolve) => ends.set(id, resolve));
    });
    const end = async (id: string): Promise<void> => {
      ends.get(id)?.();
      await nextTurn();
    };
    const add = (...ids: string[]) => ids.map((id) => places.add({ id, group: id.slice(0, 1) }));
    return { places, begun, add, end };
  };

  it('works on a few items, the oldest first, and on the next one when one is done', async () => {
    const { begun, add, end } = make();
    expect(add('a1', 'b1', 'c1', 'd1')).toEqual([true, true, true, true]);
    expect(begun).toEqual(['a1', 'b1', 'c1']);
    await end('b1');
    expect(begun).toEqual(['a1', 'b1', 'c1', 'd1']);
  });

  it('works on others while the places of a group are taken', async () => {
    const { begun, add, end } = make();
    add('a1', 'a2', 'a3', 'b1');
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    await end('b1');
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    await end('a1');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('refuses what finds no place, and keeps nothing of it', () => {
    const { places, add } = make();
    expect(add('a1', 'a2', 'a3', 'a4', 'a5', 'a6')).toEqual([true, true, true, true, true, false]);
    expect(add('b1', 'b2', 'b3')).toEqual([true, true, false]);
    expect(places.taken).toBe(7);
    expect(['a5', 'a6', 'b2', 'b3'].map((id) => places.has(id))).toEqual([true, false, true, false]);
  });

  it('forgets an item once it is done', async () => {
    const { places, add, end } = make();
    add('a1');
    await end('a1');
    expect([places.has('a1'), places.taken]).toEqual([false, 0]);
  });
});
