import { describe, expect, it } from '@jest/globals';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import fc from 'fast-check';
import { field } from '../../../test/support/codec-properties.js';
import { loadVectors } from '../../../test/support/vectors.js';
import { fromHex, toHex } from '../ids/hex.js';
import { bls, BlsError, type Bls, type BlsSignature, type SignedPair } from './bls.js';
import { blst } from './blst.js';
import { noble } from './noble.js';
import { codesOf } from '../../../test/support/code-of.js';

interface CheckedPair extends SignedPair {
  readonly signature: BlsSignature;
}

interface BlsVectors {
  aggregatePublicKey: string;
  aggregateSignature: string;
  dstSignature: string;
  edge: { infinityPublicKey: { bytes: string }; infinitySignature: { bytes: string } };
  keys: {
    secretKey: string;
    publicKeyCompressed: string;
    publicKeyUncompressed: string;
    signature: string;
    proofOfPossession: string;
  }[];
  message: string;
  popSignatureOverSameMessageByKey0: string;
}

const vectors = loadVectors<BlsVectors>('bls');
const message = fromHex(vectors.message);
const otherMessage = fromHex(`${vectors.message}00`);
const GROUP_ORDER = '73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001';

const codeOf = codesOf(BlsError);

/** A key or signature that is on the curve and outside the subgroup: small x coordinates hardly ever are inside. */
function compressedSmallX(length: number, x: number): Uint8Array {
  const bytes = new Uint8Array(length);
  bytes[0] = 0x80;
  bytes[length - 1] = x;
  return bytes;
}

function pairsOf(implementation: Bls): CheckedPair[] {
  return vectors.keys.map(({ publicKeyCompressed, signature }) => ({
    publicKey: implementation.publicKeyFromBytes(fromHex(publicKeyCompressed)),
    signature: implementation.signatureFromBytes(fromHex(signature)),
  }));
}

it('the default implementation of BLS is the native one', () => {
  expect(bls).toBe(blst);
});

describe.each([blst, noble])('BLS with $name', (implementation) => {
  const [first, second, third] = pairsOf(implementation) as [CheckedPair, CheckedPair, CheckedPair];
  const infinity = implementation.signatureFromBytes(fromHex(vectors.edge.infinitySignature.bytes));

  it.each(vectors.keys)('signs and verifies with key $i', (key) => {
    const secretKey = implementation.secretKeyFromBytes(fromHex(key.secretKey));
    const publicKey = implementation.publicKeyOf(secretKey);
    const signature = implementation.sign(message, secretKey);
    expect(toHex(secretKey.toBytes())).toBe(key.secretKey);
    expect(toHex(publicKey.toCompressed())).toBe(key.publicKeyCompressed);
    expect(toHex(publicKey.toUncompressed())).toBe(key.publicKeyUncompressed);
    expect(toHex(signature.toBytes())).toBe(key.signature);
    expect(implementation.verify(message, publicKey, signature)).toBe(true);
    expect(implementation.verify(otherMessage, publicKey, signature)).toBe(false);
  });

  it('reads keys and signatures back as they were written', () => {
    for (const { publicKeyCompressed, publicKeyUncompressed, signature } of vectors.keys) {
      const publicKey = implementation.publicKeyFromBytes(fromHex(publicKeyCompressed));
      expect(toHex(publicKey.toCompressed())).toBe(publicKeyCompressed);
      expect(toHex(publicKey.toUncompressed())).toBe(publicKeyUncompressed);
      expect(toHex(implementation.signatureFromBytes(fromHex(signature)).toBytes())).toBe(signature);
    }
  });

  it('returns plain byte arrays', () => {
    const bytes = [
      first.publicKey.toCompressed(),
      first.publicKey.toUncompressed(),
      first.signature.toBytes(),
    ];
    expect(bytes.map((each) => Buffer.isBuffer(each))).toEqual([false, false, false]);
  });

  it('adds up keys and signatures', () => {
    const pairs = pairsOf(implementation);
    const publicKey = implementation.aggregatePublicKeys(pairs.map((pair) => pair.publicKey));
    const signature = implementation.aggregateSignatures(pairs.map((pair) => pair.signature));
    expect(toHex(publicKey.toCompressed())).toBe(vectors.aggregatePublicKey);
    expect(toHex(signature.toBytes())).toBe(vectors.aggregateSignature);
    expect(toHex(implementation.sumSignatures(pairs.map((pair) => pair.signature)))).toBe(
      vectors.aggregateSignature,
    );
    expect(implementation.verify(message, publicKey, signature)).toBe(true);
    expect(implementation.verify(message, first.publicKey, signature)).toBe(false);
  });

  it('does not add up nothing', () => {
    expect(codeOf(() => implementation.aggregatePublicKeys([]))).toBe('EMPTY_AGGREGATE');
    expect(codeOf(() => implementation.aggregateSignatures([]))).toBe('EMPTY_AGGREGATE');
    expect(codeOf(() => implementation.sumSignatures([]))).toBe('EMPTY_AGGREGATE');
  });

  it('does not take a proof of possession for a signature', () => {
    const signature = implementation.signatureFromBytes(fromHex(vectors.popSignatureOverSameMessageByKey0));
    expect(implementation.verify(message, first.publicKey, signature)).toBe(false);
  });

  it.each([
    ['infinity', vectors.edge.infinityPublicKey.bytes],
    ['zeros', '00'.repeat(48)],
    ['ones', 'ff'.repeat(48)],
    ['47 bytes', vectors.keys[0]!.publicKeyCompressed.slice(2)],
    ['49 bytes', `${vectors.keys[0]!.publicKeyCompressed}00`],
    ['no bytes', ''],
    ['an uncompressed key', vectors.keys[0]!.publicKeyUncompressed],
    ['infinity with a sign', `e0${'00'.repeat(47)}`],
    ['infinity with a coordinate', `c0${'00'.repeat(46)}01`],
    ['a coordinate above the modulus', `9f${'ff'.repeat(47)}`],
  ])('refuses as a key: %s', (_, hex) => {
    expect(codeOf(() => implementation.publicKeyFromBytes(fromHex(hex)))).toBe('INVALID_PUBLIC_KEY');
  });

  it.each([
    ['zeros', '00'.repeat(96)],
    ['ones', 'ff'.repeat(96)],
    ['95 bytes', vectors.keys[0]!.signature.slice(2)],
    ['97 bytes', `${vectors.keys[0]!.signature}00`],
    ['one byte', 'c0'],
    ['no bytes', ''],
    ['an uncompressed signature', `40${'00'.repeat(191)}`],
    ['infinity with a coordinate', `c0${'00'.repeat(94)}01`],
    ['random bytes', 'a7'.repeat(96)],
  ])('refuses as a signature: %s', (_, hex) => {
    expect(codeOf(() => implementation.signatureFromBytes(fromHex(hex)))).toBe('INVALID_SIGNATURE');
  });

  it('refuses points of the curve that are outside the subgroup', () => {
    for (const x of [4, 5, 6]) {
      const code = codeOf(() => implementation.publicKeyFromBytes(compressedSmallX(48, x)));
      expect(code).toBe('INVALID_PUBLIC_KEY');
    }
    for (const x of [2, 4, 5]) {
      const code = codeOf(() => implementation.signatureFromBytes(compressedSmallX(96, x)));
      expect(code).toBe('INVALID_SIGNATURE');
    }
  });

  describe('a signature that is on the curve and outside the subgroup', () => {
    const outside = implementation.uncheckedSignatureFromBytes(compressedSmallX(96, 2));

    it('is read back as it was written, and neither infinity nor a point elsewhere is one', () => {
      expect(outside.toBytes()).toEqual(compressedSmallX(96, 2));
      expect(toHex(implementation.uncheckedSignatureFromBytes(infinity.toBytes()).toBytes())).toBe(
        vectors.edge.infinitySignature.bytes,
      );
      for (const bytes of [new Uint8Array(96), new Uint8Array(96).fill(0xa7), new Uint8Array(95)]) {
        expect(codeOf(() => implementation.uncheckedSignatureFromBytes(bytes))).toBe('INVALID_SIGNATURE');
      }
    });

    it('is the same uncompressed', () => {
      for (const signature of [outside, first.signature]) {
        const bytes = signature.toUncompressed();
        expect(bytes).toHaveLength(192);
        expect(implementation.uncheckedSignatureFromUncompressed(bytes).toBytes()).toEqual(
          signature.toBytes(),
        );
        const elsewhere = bytes.map((byte, i) => (i === 191 ? byte ^ 1 : byte));
        const compressed = new Uint8Array([...signature.toBytes(), ...new Uint8Array(96)]);
        for (const wrong of [elsewhere, compressed, signature.toBytes(), infinity.toUncompressed()]) {
          const code = codeOf(() => implementation.uncheckedSignatureFromUncompressed(wrong));
          expect(code).toBe('INVALID_SIGNATURE');
        }
      }
    });

    it('is never proved, by itself or among others', () => {
      const claim = { publicKey: first.publicKey, signature: outside };
      expect(implementation.verifyEach(message, [claim])).toBe(false);
      expect(implementation.verifyEach(message, [second, claim, third])).toBe(false);
    });

    it('makes a sum that is refused, unless another one takes it back', () => {
      const negative = outside.toBytes().map((byte, i) => (i === 0 ? byte ^ 0x20 : byte));
      const opposite = implementation.uncheckedSignatureFromBytes(negative);
      const wrong = implementation.sumSignatures([first.signature, outside]);
      expect(codeOf(() => implementation.signatureFromBytes(wrong))).toBe('INVALID_SIGNATURE');
      const right = implementation.sumSignatures([first.signature, outside, opposite]);
      expect(toHex(right)).toBe(vectors.keys[0]!.signature);
    });
  });

  it.each([
    ['zero', '00'.repeat(32)],
    ['the group order', GROUP_ORDER],
    ['ones', 'ff'.repeat(32)],
    ['31 bytes', '01'.repeat(31)],
    ['33 bytes', '01'.repeat(33)],
  ])('refuses as a secret key: %s', (_, hex) => {
    expect(codeOf(() => implementation.secretKeyFromBytes(fromHex(hex)))).toBe('INVALID_SECRET_KEY');
  });

  it('parses a signature at infinity, which verifies for nobody', () => {
    expect(toHex(infinity.toBytes())).toBe(vectors.edge.infinitySignature.bytes);
    expect(implementation.verify(message, first.publicKey, infinity)).toBe(false);
    expect(implementation.verifyEach(message, [{ ...first, signature: infinity }])).toBe(false);
    expect(implementation.verifyEach(message, [second, { ...first, signature: infinity }])).toBe(false);
    expect(toHex(implementation.aggregateSignatures([infinity, first.signature]).toBytes())).toBe(
      vectors.keys[0]!.signature,
    );
  });

  it('verifies nothing for keys that cancel out', () => {
    const opposite = bls12_381.G1.Point.fromBytes(first.publicKey.toCompressed()).negate().toBytes();
    const publicKey = implementation.aggregatePublicKeys([
      first.publicKey,
      implementation.publicKeyFromBytes(opposite),
    ]);
    expect(toHex(publicKey.toCompressed())).toBe(vectors.edge.infinityPublicKey.bytes);
    expect(implementation.verify(message, publicKey, infinity)).toBe(false);
    expect(implementation.verifyEach(message, [{ publicKey, signature: infinity }])).toBe(false);
    expect(implementation.verifyEach(message, [first, { publicKey, signature: infinity }])).toBe(false);
    const other = implementation === blst ? noble : blst;
    expect(toHex(publicKey.toUncompressed())).toBe(`40${'00'.repeat(95)}`);
    expect(other.verify(message, publicKey, infinity)).toBe(false);
    expect(other.verifyEach(message, [{ publicKey, signature: infinity }])).toBe(false);
  });

  it('verifies every pair at once', () => {
    const pairs = pairsOf(implementation);
    expect(implementation.verifyEach(message, [])).toBe(true);
    expect(implementation.verifyEach(message, [first])).toBe(true);
    expect(implementation.verifyEach(message, pairs)).toBe(true);
    expect(implementation.verifyEach(message, [...pairs, first])).toBe(true);
    expect(implementation.verifyEach(otherMessage, pairs)).toBe(false);
    expect(implementation.verifyEach(otherMessage, [first])).toBe(false);
  });

  it('finds swapped signatures, whose sum is right', () => {
    const swapped = [
      { publicKey: first.publicKey, signature: second.signature },
      { publicKey: second.publicKey, signature: first.signature },
      third,
    ];
    expect(implementation.verifyEach(message, swapped)).toBe(false);
  });

  it('finds wrong signatures that cancel each other out', () => {
    const shift = bls12_381.G2.Point.fromBytes(third.signature.toBytes());
    const shifted = ({ signature }: CheckedPair, by: typeof shift) =>
      implementation.signatureFromBytes(bls12_381.G2.Point.fromBytes(signature.toBytes()).add(by).toBytes());
    const forged = [
      { publicKey: first.publicKey, signature: shifted(first, shift) },
      { publicKey: second.publicKey, signature: shifted(second, shift.negate()) },
    ];
    const sum = implementation.aggregateSignatures(forged.map((pair) => pair.signature));
    const keys = implementation.aggregatePublicKeys(forged.map((pair) => pair.publicKey));
    expect(implementation.verify(message, keys, sum)).toBe(true);
    expect(implementation.verifyEach(message, forged)).toBe(false);
  });

  it('works with objects of the other implementation', () => {
    const other = implementation === blst ? noble : blst;
    const pairs = pairsOf(other);
    const secretKey = other.secretKeyFromBytes(fromHex(vectors.keys[0]!.secretKey));
    expect(implementation.verify(message, pairs[0]!.publicKey, pairs[0]!.signature)).toBe(true);
    expect(implementation.verifyEach(message, [first, ...pairs])).toBe(true);
    expect(
      toHex(implementation.aggregatePublicKeys(pairs.map((pair) => pair.publicKey)).toCompressed()),
    ).toBe(vectors.aggregatePublicKey);
    expect(toHex(implementation.aggregateSignatures(pairs.map((pair) => pair.signature)).toBytes())).toBe(
      vectors.aggregateSignature,
    );
    expect(toHex(implementation.sign(message, secretKey).toBytes())).toBe(vectors.keys[0]!.signature);
    expect(toHex(implementation.publicKeyOf(secretKey).toCompressed())).toBe(
      vectors.keys[0]!.publicKeyCompressed,
    );
  });
});

describe('blst and noble', () => {
  /** Flags of a compressed point set at random, so that some of the bytes get as far as the curve equation. */
  const pointBytes = (length: number) =>
    fc.tuple(field.bytes(length), fc.constantFrom(0x80, 0xa0, 0xc0, 0xe0, 0x00)).map(([bytes, flags]) => {
      bytes[0] = flags | ((bytes[0] ?? 0) & 0x0f);
      return bytes;
    });

  it('give the same verdict on any bytes, and raise nothing but BlsError', () => {
    const both = (parse: (implementation: Bls) => unknown): void => {
      expect(codeOf(() => parse(blst))).toBe(codeOf(() => parse(noble)));
    };
    fc.assert(fc.property(pointBytes(48), (bytes) => both((each) => each.publicKeyFromBytes(bytes))));
    fc.assert(fc.property(pointBytes(96), (bytes) => both((each) => each.signatureFromBytes(bytes))));
    fc.assert(
      fc.property(pointBytes(96), (bytes) => both((each) => each.uncheckedSignatureFromBytes(bytes))),
    );
    fc.assert(
      fc.property(pointBytes(192), (bytes) => both((each) => each.uncheckedSignatureFromUncompressed(bytes))),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) =>
        both((each) => each.publicKeyFromBytes(bytes)),
      ),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) =>
        both((each) => each.signatureFromBytes(bytes)),
      ),
    );
    fc.assert(fc.property(field.bytes(32), (bytes) => both((each) => each.secretKeyFromBytes(bytes))));
  });

  it('sign alike', () => {
    const secret = field
      .bytes(32)
      .map((bytes) => Uint8Array.from([(bytes[0] ?? 0) & 0x3f, ...bytes.slice(1, -1), 1]));
    fc.assert(
      fc.property(secret, fc.uint8Array({ maxLength: 100 }), (bytes, text) => {
        const native = blst.secretKeyFromBytes(bytes);
        const reference = noble.secretKeyFromBytes(bytes);
        const signature = blst.sign(text, native);
        expect(toHex(blst.publicKeyOf(native).toUncompressed())).toBe(
          toHex(noble.publicKeyOf(reference).toUncompressed()),
        );
        expect(toHex(signature.toBytes())).toBe(toHex(noble.sign(text, reference).toBytes()));
        expect(blst.verify(text, blst.publicKeyOf(native), signature)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });
});
