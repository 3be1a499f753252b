import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CodecError } from '../../src/avalanche/codec/codec.error.js';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { codesOf } from './code-of.js';
import { MAX_UINT64 } from '../../src/avalanche/codec/packer.js';

export interface CodecUnderTest<T> {
  /** Random valid objects. */
  values: fc.Arbitrary<T>;
  pack: (value: T) => Uint8Array;
  unpack: (bytes: Uint8Array) => T;
}

/** Properties of every codec of `src/avalanche`, for any bytes. A failure prints its seed. */
export function itIsACodec<T>({ values, pack, unpack }: CodecUnderTest<T>): void {
  /** The only ways for bytes to end: refused by a CodecError, or read as a value that packs to the same bytes. */
  const expectCanonicalOrRefused = (bytes: Uint8Array): void => {
    const before = toHex(bytes);
    codeOf(() => expect(toHex(pack(unpack(bytes)))).toBe(before));
    expect(toHex(bytes)).toBe(before);
  };

  it('survives a round trip', () => {
    fc.assert(fc.property(values, (value) => expect(unpack(pack(value))).toEqual(value)));
  });

  it('refuses every truncation and any trailing bytes', () => {
    const cut = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    const tail = fc.uint8Array({ minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(values, cut, tail, (value, share, extra) => {
        const bytes = pack(value);
        const truncated = bytes.slice(0, Math.floor(bytes.length * share));
        expect(codeOf(() => unpack(truncated))).toBe('INSUFFICIENT_LENGTH');
        expect(['TRAILING_BYTES', 'LENGTH_OUT_OF_RANGE']).toContain(
          codeOf(() => unpack(Uint8Array.from([...bytes, ...extra]))),
        );
      }),
    );
  });

  it('raises nothing but CodecError on mutated and on random bytes', () => {
    const mutation = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 }));
    fc.assert(
      fc.property(values, fc.array(mutation, { minLength: 1, maxLength: 4 }), (value, mutations) => {
        const bytes = pack(value);
        for (const [place, bits] of mutations) bytes[place % bytes.length]! ^= bits;
        expectCanonicalOrRefused(bytes);
      }),
    );
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), expectCanonicalOrRefused));
    // Random bytes mostly die at the version: let some of them pass it, and the type id.
    const plausible = fc
      .tuple(fc.nat({ max: 5 }), fc.uint8Array({ maxLength: 300 }))
      .map(([typeId, rest]) => Uint8Array.from([0, 0, 0, 0, 0, typeId, ...rest]));
    fc.assert(fc.property(plausible, expectCanonicalOrRefused));
  });
}

/** Code of the CodecError raised, 'accepted' when none was; anything else that is thrown passes through. */
export const codeOf = codesOf(CodecError);

/** Values of the fields that the codecs share. */
export const field = {
  bytes: (length: number) => fc.uint8Array({ minLength: length, maxLength: length }),
  blob: (maxLength: number) => fc.uint8Array({ maxLength }),
  id: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  nodeId: fc.uint8Array({ minLength: 20, maxLength: 20 }),
  uint32: fc.oneof(fc.constantFrom(0, 1, 2 ** 32 - 1), fc.integer({ min: 0, max: 2 ** 32 - 1 })),
  uint64: fc.oneof(fc.constantFrom(0n, 1n, MAX_UINT64), fc.bigInt({ min: 0n, max: MAX_UINT64 })),
};
