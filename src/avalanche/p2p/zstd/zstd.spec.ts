import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decompress as decompressByFzstd } from 'fzstd';
import { readFileSync } from 'node:fs';
import { fromHex } from '../../ids/hex.js';
import { MAX_MESSAGE_BYTES } from '../messages/message-framing.js';
import { P2pError } from '../p2p.error.js';
import { BackwardBitReader } from './bit-reader.js';
import { MAX_BLOCK_BYTES } from './literals.js';
import { decompressZstd, packStoredZstd } from './zstd.js';

type ContentKind = 'few' | 'words' | 'noise' | 'digits' | 'zeros' | 'lines' | 'records';

interface Fixture {
  kind: ContentKind;
  length: number;
  /** Options of the reference program (zstd 1.5.4) that wrote the frame; unsized ones came through a pipe. */
  options: string;
  frame: string;
}

const fixtures = JSON.parse(
  readFileSync(new URL('zstd.fixtures.json', import.meta.url), 'utf8'),
) as Fixture[];

const decompress = (frame: Uint8Array): Uint8Array => decompressZstd(frame, MAX_MESSAGE_BYTES);

/** Values that are read from the bit streams meanwhile: besides filling the bounded output, the decoder's loops do nothing else. */
function stepsOf(run: () => void): number {
  let steps = 0;
  const { peek } = BackwardBitReader.prototype;
  BackwardBitReader.prototype.peek = function (count) {
    steps += 1;
    return peek.call(this, count);
  };
  try {
    run();
  } finally {
    BackwardBitReader.prototype.peek = peek;
  }
  return steps;
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
const expectCode = (frame: Uint8Array, code: string): void =>
  expect(() => decompress(frame)).toThrow(expect.objectContaining({ code }));

describe(decompressZstd.name, () => {
  it.each(fixtures)('expands $length bytes of $kind written with $options', ({ kind, length, frame }) => {
    const expanded = decompress(Buffer.from(frame, 'base64'));
    expect(expanded).toHaveLength(length);
    expect(isSame(expanded, makeContent(kind, length))).toBe(true);
  });

  it('expands frames one after the other, and skips skippable ones', () => {
    const skippable = fromHex('5a2a4d1803000000aabbcc');
    const parts = [
      skippable,
      packStoredZstd(Uint8Array.of(1, 2)),
      skippable,
      packStoredZstd(Uint8Array.of(3)),
    ];
    expect([...decompress(Buffer.concat(parts))]).toEqual([1, 2, 3]);
  });

  it('gives back what was stored', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), (content) => {
        expect(isSame(decompress(packStoredZstd(content)), content)).toBe(true);
      }),
    );
    const noise = makeContent('noise', 300_000);
    for (const length of [0, 1, 128 * 1024, 128 * 1024 + 1, noise.length]) {
      const content = noise.subarray(0, length);
      expect(isSame(decompress(packStoredZstd(content)), content)).toBe(true);
    }
    expect(decompress(packStoredZstd(new Uint8Array(MAX_MESSAGE_BYTES)))).toHaveLength(MAX_MESSAGE_BYTES);
  });

  it('agrees with another decoder on what is stored', () => {
    const content = makeContent('words', 300_000);
    expect(isSame(decompressByFzstd(packStoredZstd(content)), content)).toBe(true);
  });

  it('expands up to its bound and not a byte further', () => {
    const [large] = fixtures.filter(({ kind, options }) => kind === 'zeros' && options === '-3').slice(-1);
    const frame = Buffer.from(large!.frame, 'base64');
    expect(decompressZstd(frame, 200_000)).toHaveLength(200_000);
    expect(() => decompressZstd(frame, 199_999)).toThrow(
      expect.objectContaining({ code: 'MESSAGE_TOO_LARGE' }),
    );
  });

  it.each(fixtures)('refuses any part of $length bytes of $kind ($options)', ({ frame }) => {
    const bytes = Buffer.from(frame, 'base64');
    const step = Math.max(1, Math.floor(bytes.length / 50));
    for (let end = 0; end < bytes.length; end += step) {
      expect(() => decompress(bytes.subarray(0, end))).toThrow(P2pError);
    }
  });

  describe('a hostile frame', () => {
    /** Magic number and the given rest. */
    const frame = (...rest: string[]): Uint8Array => fromHex(`28b52ffd${rest.join('')}`);
    /** Header without declared size, window of 1 KiB. */
    const unsized = '0000';
    const blockHeader = (type: number, size: number, isLast: boolean): string => {
      const value = (size << 3) | (type << 1) | Number(isLast);
      return [value & 255, (value >> 8) & 255, value >> 16]
        .map((b) => b.toString(16).padStart(2, '0'))
        .join('');
    };
    const compressed = (body: string): string => blockHeader(2, body.length / 2, true) + body;

    it.each([
      ['nothing', ''],
      ['another magic number', '28b52ffe0000010000'],
      ['a skippable frame that is longer than the input', '502a4d18ffffffff'],
      ['a header cut off', '28b52ffd'],
    ])('is refused as no frame: %s', (_, hex) => expectCode(fromHex(hex), 'INVALID_COMPRESSION'));

    it.each([
      ['a reserved bit', frame('0800', blockHeader(0, 0, true))],
      ['a dictionary', frame('010001', blockHeader(0, 0, true))],
      ['a reserved block type', frame(unsized, blockHeader(3, 0, true))],
      ['a block of 2 MiB', frame(unsized, blockHeader(1, 2 ** 21 - 1, true), '00')],
      ['no last block', frame(unsized, blockHeader(0, 0, false))],
      ['no checksum', frame('0400', blockHeader(0, 0, true))],
      ['less content than declared', frame('2005', blockHeader(0, 1, true), '00')],
      ['more content than declared', frame('2000', blockHeader(0, 1, true), '00')],
      ['literals longer than their block', frame(unsized, compressed('f8'))],
      ['literals of a tree never sent', frame(unsized, compressed('130800aa00'))],
      ['an empty compressed block', frame(unsized, compressed(''))],
      ['bytes after zero sequences', frame(unsized, compressed('000000'))],
      ['sequences of tables never sent', frame(unsized, compressed('0001fc01'))],
      ['a reserved mode bit', frame(unsized, compressed('000101'))],
      ['a constant table of an impossible code', frame(unsized, compressed('0001540000ff01'))],
      ['a bit stream without its end mark', frame(unsized, compressed('0001540000340000'))],
      ['a match before the start', frame(unsized, compressed('00015400000001'))],
      ['a tree without weights', frame(unsized, compressed('12080080' + '00'.repeat(4)))],
    ])('is refused: %s', (_, bytes) => expectCode(bytes, 'INVALID_COMPRESSION'));

    it('is refused for what it declares, before anything is allocated', () => {
      // Eight bytes of declared size: 2^64 - 1, and 2 MiB + 1.
      expectCode(frame('e0', 'ff'.repeat(8), blockHeader(0, 0, true)), 'MESSAGE_TOO_LARGE');
      expectCode(frame('a0', '01002000', blockHeader(0, 0, true)), 'MESSAGE_TOO_LARGE');
    });

    it('is refused for a window of some terabytes, which gets no memory', () => {
      expect(decompress(frame('00ff', blockHeader(0, 1, true), 'aa'))).toEqual(Uint8Array.of(0xaa));
    });

    it('is stopped at the bound, however small that is', () => {
      const block = blockHeader(1, 128 * 1024, false) + '00';
      expectCode(frame(unsized, block.repeat(17), blockHeader(0, 0, true)), 'MESSAGE_TOO_LARGE');
    });

    it('causes no work for sequences that are not there', () => {
      // 98,047 matches of 65,539 bytes each in a few bytes; a decoder that trusts them works for seconds.
      const bytes = frame(unsized, blockHeader(1, 20, false), 'aa', compressed('00ffffff54000034ff01'));
      expect(stepsOf(() => expectCode(bytes, 'INVALID_COMPRESSION'))).toBeLessThan(10);
    });

    it('is refused for many blocks that hold nothing', () => {
      expectCode(frame(unsized, blockHeader(0, 0, false).repeat(1000)), 'INVALID_COMPRESSION');
      expectCode(
        Buffer.concat(Array<Uint8Array>(1000).fill(packStoredZstd(new Uint8Array()))),
        'INVALID_COMPRESSION',
      );
    });
  });

  it('answers any bytes with content or its own error, in a number of steps that they and it bound', () => {
    const anyFrame = fc.oneof(
      fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.concat([fromHex('28b52ffd0058'), bytes])),
      fc.uint8Array({ maxLength: 400 }).map((bytes) => {
        const header = (bytes.length << 3) | 5;
        return Buffer.concat([fromHex('28b52ffd0058'), Uint8Array.of(header & 255, header >> 8, 0), bytes]);
      }),
      fc
        .tuple(
          fc.constantFrom(...fixtures),
          fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 5 }),
        )
        .map(([{ frame }, changes]) => {
          const bytes = Buffer.from(frame, 'base64');
          changes.forEach(([place, value]) => (bytes[place % bytes.length] = value));
          return bytes;
        }),
    );
    fc.assert(
      fc.property(anyFrame, (frame) => {
        let expandedBytes = 0;
        const steps = stepsOf(() => {
          try {
            decompressZstd(frame, MAX_MESSAGE_BYTES, (byteCount) => (expandedBytes = byteCount));
          } catch (error) {
            expect(error).toBeInstanceOf(P2pError);
          }
        });
        expect(expandedBytes).toBeLessThanOrEqual(MAX_MESSAGE_BYTES);
        // Of a last block, everything may be read before it is refused.
        expect(steps).toBeLessThanOrEqual(10 * (8 * frame.length + expandedBytes) + MAX_BLOCK_BYTES);
      }),
      { numRuns: 3000 },
    );
  });
});

/** Content that the fixtures were made from; the same at every call. */
function makeContent(kind: ContentKind, length: number): Uint8Array {
  let state = 1;
  const next = (limit: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % limit;
  };
  const words = Array.from({ length: 400 }, () =>
    Array.from({ length: 1 + next(9) }, () => 97 + Math.min(next(26), next(26))),
  );
  const makePart = (position: number): ArrayLike<number> => {
    switch (kind) {
      case 'words':
        return [...(words[Math.min(next(400), next(400))] ?? []), 32];
      case 'noise':
        return [next(256)];
      case 'digits':
        return [48 + Math.min(next(10), next(10), next(10))];
      case 'few':
        return [Math.min(next(12), next(12), next(12))];
      case 'zeros':
        return [0];
      case 'lines':
        return Buffer.from(`block ${1000 + position} of chain ${next(3)} accepted in ${next(40)} ms\n`);
      case 'records': {
        const id = next(1000);
        return [id >> 8, id & 255, 0, 0, 0, 7, next(4), 0, 0, 1];
      }
    }
  };
  const content = new Uint8Array(length);
  for (let position = 0; position < length;) {
    const part = Uint8Array.from(makePart(position)).subarray(0, length - position);
    content.set(part, position);
    position += part.length;
  }
  return content;
}
