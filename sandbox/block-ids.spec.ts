import { describe, expect, it } from '@jest/globals';
import { sha256Id } from '../src/avalanche/platformvm/codec/sha256.js';
import { BlockIds } from './block-ids.js';

describe(BlockIds.name, () => {
  it('finds ids by height and heights by id, however many there are', () => {
    const ids = Array.from({ length: 3_000 }, (_, height) => sha256Id(Uint8Array.of(height >> 8, height)));
    const blockIds = new BlockIds();
    for (const id of ids) blockIds.add(id);
    expect(blockIds.length).toBe(ids.length);
    expect(ids.map((_, height) => blockIds.at(height))).toEqual(ids);
    expect(ids.map((id) => blockIds.heightOf(id))).toEqual(ids.map((_, height) => height));
    expect([blockIds.at(-1), blockIds.at(3_000)]).toEqual([undefined, undefined]);
    expect(blockIds.heightOf(sha256Id(new Uint8Array()))).toBeUndefined();
    expect(blockIds.heightOf('00')).toBeUndefined();
  });

  it('distinguishes ids that begin alike', () => {
    const blockIds = new BlockIds();
    const ids = ['00', '01', '02'].map((end) => `${'ff'.repeat(31)}${end}`);
    for (const id of ids) blockIds.add(id);
    expect(ids.map((id) => blockIds.heightOf(id))).toEqual([0, 1, 2]);
    expect(blockIds.heightOf('ff'.repeat(32))).toBeUndefined();
  });
});
