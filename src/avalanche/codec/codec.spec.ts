import { describe, expect, it } from '@jest/globals';
import { bytesToHex as toHex, hexToBytes as fromHex } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { codeOf, field } from '../../../test/support/codec-properties.js';
import { packBlob, packTypedBlob, unpackAnyTypedBlob, unpackBlob, unpackTypedBlob } from './codec.js';
import { Packer } from './packer.js';
import { Unpacker } from './unpacker.js';

describe(Packer.name, () => {
  it('writes big-endian fields one after the other', () => {
    const bytes = new Packer()
      .packByte(1)
      .packShort(0x0203)
      .packInt(0xfffefdfc)
      .packLong(0x8000000000000001n)
      .packBool(true)
      .packBool(false)
      .packFixedBytes(Uint8Array.of(9, 8))
      .packBytes(Uint8Array.of(7))
      .packString('hé')
      .packList([1, 2], (packer, element) => packer.packByte(element))
      .toBytes();
    expect(toHex(bytes)).toBe('010203fffefdfc800000000000000101000908000000010700036' + '8c3a9000000020102');
  });

  it.each([
    ['a byte of 256', () => new Packer().packByte(256)],
    ['a negative byte', () => new Packer().packByte(-1)],
    ['a fraction', () => new Packer().packInt(1.5)],
    ['not a number', () => new Packer().packShort(NaN)],
    ['an int of 33 bits', () => new Packer().packInt(2 ** 32)],
    ['a negative long', () => new Packer().packLong(-1n)],
    ['a long of 65 bits', () => new Packer().packLong(2n ** 64n)],
    ['a fixed field of another length', () => new Packer().packFixedBytes(new Uint8Array(31), 32)],
  ])('refuses %s', (_, pack) => {
    expect(codeOf(pack)).toBe('INVALID_VALUE');
  });

  it('refuses a string whose UTF-8 form is longer than a uint16 can count', () => {
    expect(codeOf(() => new Packer().packString('é'.repeat(32767)))).toBe('accepted');
    expect(codeOf(() => new Packer().packString('é'.repeat(32768)))).toBe('LENGTH_OUT_OF_RANGE');
  });

  it('refuses to outgrow its limit', () => {
    const packer = new Packer(3).packShort(1);
    expect(codeOf(() => packer.packShort(1))).toBe('LENGTH_OUT_OF_RANGE');
  });

  it('does not keep a reference to what it packed', () => {
    const source = Uint8Array.of(1, 2);
    const packer = new Packer().packFixedBytes(source);
    source[0] = 9;
    expect([...packer.toBytes()]).toEqual([1, 2]);
  });
});

describe(Unpacker.name, () => {
  const operations = fc.oneof(
    fc.record({ kind: fc.constant('byte' as const), value: fc.nat({ max: 255 }) }),
    fc.record({ kind: fc.constant('short' as const), value: fc.nat({ max: 65535 }) }),
    fc.record({ kind: fc.constant('int' as const), value: field.uint32 }),
    fc.record({ kind: fc.constant('long' as const), value: field.uint64 }),
    fc.record({ kind: fc.constant('bool' as const), value: fc.boolean() }),
    fc.record({ kind: fc.constant('bytes' as const), value: field.blob(50) }),
    fc.record({ kind: fc.constant('string' as const), value: fc.string({ unit: 'grapheme' }) }),
  );
  type Operation = typeof operations extends fc.Arbitrary<infer T> ? T : never;

  const pack = (packer: Packer, { kind, value }: Operation): void => {
    if (kind === 'byte') packer.packByte(value);
    else if (kind === 'short') packer.packShort(value);
    else if (kind === 'int') packer.packInt(value);
    else if (kind === 'long') packer.packLong(value);
    else if (kind === 'bool') packer.packBool(value);
    else if (kind === 'bytes') packer.packBytes(value);
    else packer.packString(value);
  };
  const unpack = (unpacker: Unpacker, kind: Operation['kind']): unknown =>
    ({
      byte: () => unpacker.unpackByte(),
      short: () => unpacker.unpackShort(),
      int: () => unpacker.unpackInt(),
      long: () => unpacker.unpackLong(),
      bool: () => unpacker.unpackBool(),
      bytes: () => unpacker.unpackBytes(),
      string: () => unpacker.unpackString(),
    })[kind]();

  it('reads any sequence of fields that was packed', () => {
    fc.assert(
      fc.property(fc.array(operations), (sequence) => {
        const packer = new Packer();
        for (const operation of sequence) pack(packer, operation);
        const unpacker = new Unpacker(packer.toBytes());
        expect(sequence.map(({ kind }) => unpack(unpacker, kind))).toEqual(
          sequence.map(({ value }) => value),
        );
        unpacker.finish();
      }),
    );
  });

  it('raises nothing but CodecError, whatever is read from whatever bytes', () => {
    const kinds = fc.array(
      operations.map(({ kind }) => kind),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), kinds, (bytes, sequence) => {
        const unpacker = new Unpacker(bytes);
        codeOf(() => sequence.map((kind) => unpack(unpacker, kind)));
        expect(unpacker.remaining).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it.each([
    ['byte', (u: Unpacker) => u.unpackByte(), 1],
    ['short', (u: Unpacker) => u.unpackShort(), 2],
    ['int', (u: Unpacker) => u.unpackInt(), 4],
    ['long', (u: Unpacker) => u.unpackLong(), 8],
    ['fixed bytes', (u: Unpacker) => u.unpackFixedBytes(5), 5],
  ])('refuses a %s that is cut short', (_, read, length) => {
    expect(codeOf(() => read(new Unpacker(new Uint8Array(length))))).toBe('accepted');
    expect(codeOf(() => read(new Unpacker(new Uint8Array(length - 1))))).toBe('INSUFFICIENT_LENGTH');
  });

  it('refuses a bool that is neither 0 nor 1', () => {
    expect(codeOf(() => new Unpacker(Uint8Array.of(2)).unpackBool())).toBe('INVALID_BOOL');
  });

  it('refuses text that is not UTF-8', () => {
    expect(codeOf(() => new Unpacker(Uint8Array.of(0, 1, 0xff)).unpackString())).toBe('INVALID_VALUE');
  });

  it.each([
    ['a length above 2^31-1', 'ff00002c', 'LENGTH_OUT_OF_RANGE'],
    ['a length beyond the rest', '7fffffff', 'INSUFFICIENT_LENGTH'],
  ])('refuses %s before it allocates', (_, hex, code) => {
    expect(codeOf(() => new Unpacker(fromHex(hex)).unpackBytes())).toBe(code);
    expect(codeOf(() => new Unpacker(fromHex(hex)).unpackList(1, (u) => u.unpackByte()))).toBe(code);
  });

  it('bounds lengths where the caller sets a bound', () => {
    expect(codeOf(() => new Unpacker(fromHex('000000020000')).unpackBytes(1))).toBe('LENGTH_OUT_OF_RANGE');
    expect(codeOf(() => new Unpacker(fromHex('00026161')).unpackString(1))).toBe('LENGTH_OUT_OF_RANGE');
  });

  it('reads no element of a list that cannot fit', () => {
    let elementsRead = 0;
    const unpacker = new Unpacker(fromHex('00000003' + '00'.repeat(59)));
    const code = codeOf(() =>
      unpacker.unpackList(20, (inner) => {
        elementsRead++;
        return inner.unpackFixedBytes(20);
      }),
    );
    expect({ code, elementsRead }).toEqual({ code: 'INSUFFICIENT_LENGTH', elementsRead: 0 });
  });

  it('returns copies, also of a Buffer', () => {
    const buffer = Buffer.from('aabb', 'hex');
    const bytes = new Unpacker(buffer).unpackFixedBytes(2);
    buffer[0] = 0;
    expect(toHex(bytes)).toBe('aabb');
    expect(Buffer.isBuffer(bytes)).toBe(false);
  });

  it('reads hex as it reads bytes', () => {
    const unpacker = new Unpacker(Uint8Array.of(9, 0xab, 0x0c, 7).subarray(1));
    expect(unpacker.unpackHex(2)).toBe('ab0c');
    expect([unpacker.offset, unpacker.remaining]).toEqual([2, 1]);
    expect(codeOf(() => unpacker.unpackHex(2))).toBe('INSUFFICIENT_LENGTH');
  });

  it('gives what was read since a place', () => {
    const unpacker = new Unpacker(Uint8Array.of(9, 1, 2, 3, 4).subarray(1));
    unpacker.unpackByte();
    const { offset } = unpacker;
    unpacker.unpackShort();
    expect([...unpacker.viewSince(offset)]).toEqual([2, 3]);
  });

  it('respects the offset of a view', () => {
    const whole = Uint8Array.of(9, 9, 1, 2, 9);
    expect(new Unpacker(whole.subarray(2, 4)).unpackShort()).toBe(0x0102);
    expect(codeOf(() => new Unpacker(whole.subarray(2, 4)).unpackInt())).toBe('INSUFFICIENT_LENGTH');
  });
});

describe('blobs', () => {
  const byte = (unpacker: Unpacker): number => unpacker.unpackByte();

  it('start with the codec version', () => {
    expect(toHex(packBlob((packer) => packer.packByte(7)))).toBe('000007');
    expect(unpackBlob(fromHex('000007'), byte)).toBe(7);
  });

  it.each([
    ['', 'INSUFFICIENT_LENGTH'],
    ['00', 'INSUFFICIENT_LENGTH'],
    ['0000', 'INSUFFICIENT_LENGTH'],
    ['000107', 'UNKNOWN_CODEC_VERSION'],
    ['ffff07', 'UNKNOWN_CODEC_VERSION'],
    ['00000700', 'TRAILING_BYTES'],
  ])('are refused when they are %s: %s', (hex, code) => {
    expect(codeOf(() => unpackBlob(fromHex(hex), byte))).toBe(code);
  });

  it('are refused beyond the limit where one is given', () => {
    expect(codeOf(() => unpackBlob(fromHex('000007'), byte, 3))).toBe('accepted');
    expect(codeOf(() => unpackBlob(fromHex('000007'), byte, 2))).toBe('LENGTH_OUT_OF_RANGE');
    expect(codeOf(() => packBlob((packer) => packer.packByte(7), 2))).toBe('LENGTH_OUT_OF_RANGE');
  });

  it('carry the type id of an interface value', () => {
    const bytes = packTypedBlob(3, (packer) => packer.packByte(7));
    expect(toHex(bytes)).toBe('00000000000307');
    expect(unpackTypedBlob(bytes, 3, byte)).toBe(7);
    expect(codeOf(() => unpackTypedBlob(bytes, 2, byte))).toBe('UNKNOWN_TYPE_ID');
    expect(
      unpackAnyTypedBlob(
        bytes,
        new Map([
          [2, () => 0],
          [3, byte],
        ]),
      ),
    ).toBe(7);
  });
});
