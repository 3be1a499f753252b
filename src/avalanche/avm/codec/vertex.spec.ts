import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  anyVertex,
  packVertex,
  sortByHash,
  type VertexFields,
} from '../../../../test/support/x-chain/vertices.js';
import { toHex } from '../../ids/hex.js';
import { idFromString } from '../../ids/id.js';
import { sha256Id } from '../../platformvm/codec/sha256.js';
import { AvmError } from '../avm.error.js';
import { parseVertex } from './vertex.js';

const idOf = (number: number): string => number.toString(16).padStart(64, '0');
const ids = (count: number): string[] => Array.from({ length: count }, (_, i) => idOf(i));
const transactions = (count: number): Uint8Array[] =>
  sortByHash(Array.from({ length: count }, (_, i) => Uint8Array.of(i >> 8, i)));

const vertex: VertexFields = {
  chainId: idOf(7),
  height: 3n,
  parentIds: ids(2),
  transactions: transactions(2),
};

const change = (changes: Partial<VertexFields>): Uint8Array => packVertex(Object.assign({}, vertex, changes));

describe(parseVertex.name, () => {
  it('reads what was packed, with its id', () => {
    fc.assert(
      fc.property(anyVertex, (fields) => {
        const bytes = packVertex(fields);
        expect(parseVertex(bytes)).toEqual({ ...fields, id: sha256Id(bytes) });
      }),
    );
  });

  it('reads the stop vertex that every network without a history has', () => {
    // avalanchego builds it for the X-chain's id of the local network from 46 bytes.
    const chainId = toHex(idFromString('2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed'));
    const bytes = packVertex({ chainId, height: 0n, parentIds: [], transactions: [] });
    expect(bytes).toHaveLength(46);
    expect(parseVertex(bytes)).toMatchObject({ chainId, height: 0n, parentIds: [], transactions: [] });
  });

  it('refuses every truncation and any trailing bytes', () => {
    const cut = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(anyVertex, cut, (fields, share) => {
        const bytes = packVertex(fields);
        expect(() => parseVertex(bytes.slice(0, Math.floor(bytes.length * share)))).toThrow(AvmError);
        expect(() => parseVertex(Uint8Array.from([...bytes, 0]))).toThrow(AvmError);
      }),
    );
  });

  it('reads nothing from changed or random bytes that it would not write', () => {
    const expectRefusedOrCanonical = (bytes: Uint8Array): void => {
      let read: VertexFields;
      try {
        read = parseVertex(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(AvmError);
        return;
      }
      expect(toHex(packVertex(read))).toBe(toHex(bytes));
    };
    const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(anyVertex, changes, (fields, places) => {
        const bytes = packVertex(fields);
        for (const [place, bits] of places) bytes[place % bytes.length]! ^= bits;
        expectRefusedOrCanonical(bytes);
      }),
      { numRuns: 300 },
    );
    const plausible = fc
      .tuple(fc.nat({ max: 2 }), fc.uint8Array({ maxLength: 300 }))
      .map(([version, rest]) => Uint8Array.from([0, version, ...rest]));
    fc.assert(fc.property(plausible, expectRefusedOrCanonical));
  });

  it('takes as many parents and transactions as a vertex may have', () => {
    const bytes = change({ parentIds: ids(128), transactions: transactions(128) });
    expect(parseVertex(bytes).transactions).toHaveLength(128);
  });

  it.each<[string, Partial<VertexFields>]>([
    ['more parents than there may be', { parentIds: ids(129) }],
    ['parents out of order', { parentIds: ids(2).reverse() }],
    ['a parent twice', { parentIds: [idOf(1), idOf(1)] }],
    ['more transactions than there may be', { transactions: transactions(129) }],
    ['transactions out of order', { transactions: transactions(2).reverse() }],
    ['a transaction twice', { transactions: [Uint8Array.of(1), Uint8Array.of(1)] }],
    ['no transaction', { transactions: [], isStop: false }],
    ['another epoch', { epoch: 1 }],
    ['more than a megabyte', { transactions: [new Uint8Array(1024 * 1024)] }],
  ])('refuses %s', (_, changes) => {
    expect(() => parseVertex(change(changes))).toThrow(expect.objectContaining({ code: 'MALFORMED' }));
  });

  it('refuses a version that there is not', () => {
    const bytes = packVertex(vertex);
    bytes[1] = 2;
    expect(() => parseVertex(bytes)).toThrow(expect.objectContaining({ code: 'MALFORMED' }));
  });
});
