import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { makeExportedFile, piecesOf } from './exported-file.js';

const stored = fc.array(
  fc.record({ bytes: fc.integer({ min: 0, max: 5 }), hasKey: fc.boolean() }).map(({ bytes, hasKey }) => ({
    bytes: hasKey ? bytes : 0,
    hasKey,
  })),
  { maxLength: 8 },
);

describe(piecesOf, () => {
  it('finds each byte of a range once and in order', () => {
    fc.assert(
      fc.property(stored, fc.nat({ max: 40 }), fc.nat({ max: 40 }), (pieces, a, b) => {
        const keyed = pieces.map(({ bytes, hasKey }, i) => ({
          bytes,
          storageKey: hasKey ? `piece ${i}` : null,
        }));
        const file = makeExportedFile('id', keyed);
        const all = keyed.flatMap(({ bytes, storageKey }) =>
          Array.from({ length: bytes }, (_, at) => `${String(storageKey)} byte ${at}`),
        );
        expect(file.bytes).toBe(all.length);
        const [start = 0, end = 0] = [a, b].sort((x, y) => x - y);
        const found = [...piecesOf(file, { start, end })].flatMap(({ storageKey, range }) =>
          Array.from(
            { length: range.end - range.start + 1 },
            (_, at) => `${storageKey} byte ${range.start + at}`,
          ),
        );
        expect(found).toEqual(all.slice(start, end + 1));
      }),
    );
  });
});
