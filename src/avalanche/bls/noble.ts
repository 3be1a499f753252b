import { randomBytes } from 'node:crypto';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { BlsError, type BlsErrorCode } from './bls.error.js';
import {
  PUBLIC_KEY_BYTES,
  SECRET_KEY_BYTES,
  SIGNATURE_BYTES,
  UNCOMPRESSED_SIGNATURE_BYTES,
  type Bls,
  type BlsPublicKey,
  type BlsSecretKey,
  type BlsSignature,
  type UncheckedBlsSignature,
} from './bls.interface.js';

/** Ciphersuite of messages. The tag ends in `_POP_`: libraries that default to `_NUL_` verify nothing. */
export const SIGNATURE_DST = 'BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_';

const UNCOMPRESSED_PUBLIC_KEY_BYTES = 96;

const { longSignatures, G1, G2, fields } = bls12_381;

type PublicKeyPoint = typeof G1.Point.BASE;
type SignaturePoint = typeof G2.Point.BASE;

class NoblePublicKey implements BlsPublicKey {
  constructor(readonly point: PublicKeyPoint) {}

  toCompressed(): Uint8Array {
    return this.point.is0() ? infinityBytes(PUBLIC_KEY_BYTES, 0xc0) : this.point.toBytes(true);
  }

  toUncompressed(): Uint8Array {
    return this.point.is0() ? infinityBytes(UNCOMPRESSED_PUBLIC_KEY_BYTES, 0x40) : this.point.toBytes(false);
  }
}

class NobleUncheckedSignature implements UncheckedBlsSignature {
  constructor(readonly point: SignaturePoint) {}

  toBytes(): Uint8Array {
    return compress(this.point);
  }

  toUncompressed(): Uint8Array {
    if (this.point.is0()) return infinityBytes(UNCOMPRESSED_SIGNATURE_BYTES, IS_INFINITY);
    const { x, y } = this.point.toAffine();
    return Uint8Array.from([x.c1, x.c0, y.c1, y.c0].flatMap((part) => [...fields.Fp.toBytes(part)]));
  }
}

class NobleSignature extends NobleUncheckedSignature implements BlsSignature {
  readonly isInSubgroup = true;
}

class NobleSecretKey implements BlsSecretKey {
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = Uint8Array.from(bytes);
  }

  toBytes(): Uint8Array {
    return Uint8Array.from(this.bytes);
  }
}

/** In JavaScript alone, for the published client and as reference: some ten times slower than the native one, and independent of it. */
export const noble: Bls = {
  name: 'noble',

  publicKeyFromBytes(compressed) {
    return parse('INVALID_PUBLIC_KEY', compressed, PUBLIC_KEY_BYTES, (bytes) => {
      const point = G1.Point.fromBytes(bytes);
      if (point.is0()) throw new BlsError('INVALID_PUBLIC_KEY', 'infinity');
      point.assertValidity();
      return new NoblePublicKey(point);
    });
  },

  signatureFromBytes(bytes) {
    return parse('INVALID_SIGNATURE', bytes, SIGNATURE_BYTES, (checked) => {
      const point = longSignatures.Signature.fromBytes(checked);
      if (!point.is0()) point.assertValidity();
      return new NobleSignature(point);
    });
  },

  uncheckedSignatureFromBytes(bytes) {
    return parse('INVALID_SIGNATURE', bytes, SIGNATURE_BYTES, (checked) => {
      return new NobleUncheckedSignature(decompress(checked));
    });
  },

  uncheckedSignatureFromUncompressed(bytes) {
    return parse('INVALID_SIGNATURE', bytes, UNCOMPRESSED_SIGNATURE_BYTES, (checked) => {
      const [c1 = 0n, c0 = 0n, yc1 = 0n, yc0 = 0n] = [0, 1, 2, 3].map((part) =>
        toBigInt(checked.subarray(part * fields.Fp.BYTES, (part + 1) * fields.Fp.BYTES)),
      );
      const [x, y] = [
        { c0, c1 },
        { c0: yc0, c1: yc1 },
      ];
      if (!fields.Fp2.isValid(x) || !fields.Fp2.isValid(y) || !isOnCurve(x, y)) {
        throw new Error('not on the curve');
      }
      return new NobleUncheckedSignature(G2.Point.fromAffine({ x, y }));
    });
  },

  secretKeyFromBytes(bytes) {
    return parse('INVALID_SECRET_KEY', bytes, SECRET_KEY_BYTES, (checked) => {
      // noble itself would reduce a larger number by the group order.
      if (!fields.Fr.isValidNot0(toBigInt(checked))) throw new Error('not below the group order');
      return new NobleSecretKey(checked);
    });
  },

  publicKeyOf(secretKey) {
    return new NoblePublicKey(longSignatures.getPublicKey(secretKey.toBytes()));
  },

  sign(message, secretKey) {
    const point = longSignatures.sign(longSignatures.hash(message, SIGNATURE_DST), secretKey.toBytes());
    return new NobleSignature(point);
  },

  aggregatePublicKeys(publicKeys) {
    if (publicKeys.length === 0) throw new BlsError('EMPTY_AGGREGATE', 'no public key to aggregate');
    return new NoblePublicKey(sum(G1.Point.ZERO, publicKeys.map(toPublicKeyPoint)));
  },

  aggregateSignatures(signatures) {
    if (signatures.length === 0) throw new BlsError('EMPTY_AGGREGATE', 'no signature to aggregate');
    return new NobleSignature(sum(G2.Point.ZERO, signatures.map(toSignaturePoint)));
  },

  sumSignatures(signatures) {
    if (signatures.length === 0) throw new BlsError('EMPTY_AGGREGATE', 'no signature to add up');
    return compress(sum(G2.Point.ZERO, signatures.map(toSignaturePoint)));
  },

  verify(message, publicKey, signature) {
    return verifyPoints(message, toPublicKeyPoint(publicKey), toSignaturePoint(signature));
  },

  verifyEach(message, pairs) {
    if (pairs.length === 0) return true;
    const publicKeys = pairs.map(({ publicKey }) => toPublicKeyPoint(publicKey));
    const signatures = pairs.map(({ signature }) => toSignaturePoint(signature));
    if ([...publicKeys, ...signatures].some((point) => point.is0())) return false;
    if (!signatures.every((point) => point.isTorsionFree())) return false;
    const coefficients = pairs.map(randomCoefficient);
    return verifyPoints(
      message,
      weightedSum(G1.Point.ZERO, publicKeys, coefficients),
      weightedSum(G2.Point.ZERO, signatures, coefficients),
    );
  },
};

/**
 * One pairing check; infinity on either side verifies nothing.
 * The points must have passed the checks of publicKeyFromBytes and signatureFromBytes, or be sums of such.
 */
function verifyPoints(message: Uint8Array, publicKey: PublicKeyPoint, signature: SignaturePoint): boolean {
  if (publicKey.is0() || signature.is0()) return false;
  return longSignatures.verify(signature, longSignatures.hash(message, SIGNATURE_DST), publicKey);
}

function parse<T>(code: BlsErrorCode, bytes: Uint8Array, length: number, make: (bytes: Uint8Array) => T): T {
  if (bytes.length !== length) throw new BlsError(code, `${bytes.length} bytes, ${length} needed`);
  try {
    return make(bytes);
  } catch (cause) {
    if (cause instanceof BlsError) throw cause;
    throw new BlsError(code, cause instanceof Error ? cause.message : 'refused', { cause });
  }
}

/** Flags in the first byte of a compressed point. */
const FLAGS = 0xe0;
const IS_COMPRESSED = 0x80;
const IS_INFINITY = 0x40;
const IS_LARGER_Y = 0x20;

/**
 * A point of the curve y² = x³ + 4(1 + i) from its x and the sign of its y. noble's own reader and writer, used for all else, want
 * it in the subgroup.
 */
function decompress(bytes: Uint8Array): SignaturePoint {
  const flags = (bytes[0] ?? 0) & FLAGS;
  if ((flags & IS_COMPRESSED) === 0 || (flags & IS_INFINITY) !== 0) {
    return longSignatures.Signature.fromBytes(bytes);
  }
  const { Fp, Fp2 } = fields;
  const imaginary = Uint8Array.from(bytes.subarray(0, Fp.BYTES));
  imaginary[0] = (imaginary[0] ?? 0) & ~FLAGS;
  const x = { c0: toBigInt(bytes.subarray(Fp.BYTES)), c1: toBigInt(imaginary) };
  if (!Fp2.isValid(x)) throw new Error('a coordinate above the modulus');
  const y = Fp2.sqrt(ySquared(x));
  return G2.Point.fromAffine({ x, y: isLargerY(y) === ((flags & IS_LARGER_Y) !== 0) ? y : Fp2.neg(y) });
}

type Coordinate = { readonly c0: bigint; readonly c1: bigint };

function ySquared(x: Coordinate): Coordinate {
  const { Fp2 } = fields;
  return Fp2.add(Fp2.mul(Fp2.sqr(x), x), Fp2.fromBigTuple([4n, 4n]));
}

function isOnCurve(x: Coordinate, y: Coordinate): boolean {
  return fields.Fp2.eql(fields.Fp2.sqr(y), ySquared(x));
}

/** Reverse of `decompress`. */
function compress(point: SignaturePoint): Uint8Array {
  if (point.is0()) return infinityBytes(SIGNATURE_BYTES, IS_COMPRESSED | IS_INFINITY);
  const { x, y } = point.toAffine();
  const { Fp } = fields;
  const bytes = Uint8Array.from([...Fp.toBytes(x.c1), ...Fp.toBytes(x.c0)]);
  bytes[0] = (bytes[0] ?? 0) | IS_COMPRESSED | (isLargerY(y) ? IS_LARGER_Y : 0);
  return bytes;
}

/** Whether y is the larger one of itself and its negative. */
function isLargerY({ c0, c1 }: Coordinate): boolean {
  return (c1 === 0n ? c0 : c1) * 2n > fields.Fp.ORDER;
}

/** noble writes no keys at infinity, for good reason; a sum of keys may be one, and verifies nothing. */
function infinityBytes(length: number, flags: number): Uint8Array {
  const bytes = new Uint8Array(length);
  bytes[0] = flags;
  return bytes;
}

function toPublicKeyPoint(publicKey: BlsPublicKey): PublicKeyPoint {
  return publicKey instanceof NoblePublicKey
    ? publicKey.point
    : G1.Point.fromBytes(publicKey.toUncompressed()); // uncompressed: spares the square root
}

function toSignaturePoint(signature: UncheckedBlsSignature): SignaturePoint {
  return signature instanceof NobleUncheckedSignature
    ? signature.point
    : longSignatures.Signature.fromBytes(signature.toBytes());
}

function toBigInt(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

interface Addable<P> {
  add(other: P): P;
  multiplyUnsafe(scalar: bigint): P;
}

function sum<P extends Addable<P>>(zero: P, points: readonly P[]): P {
  return points.reduce((total, point) => total.add(point), zero);
}

function weightedSum<P extends Addable<P>>(
  zero: P,
  points: readonly P[],
  coefficients: readonly bigint[],
): P {
  return sum(
    zero,
    points.map((point, i) => point.multiplyUnsafe(coefficients[i] ?? 1n)),
  );
}

/** 64 random bits, never zero: a zero would leave its pair unchecked. */
function randomCoefficient(): bigint {
  return fields.Fr.create(randomBytes(8).readBigUInt64BE() || 1n);
}
