import native from '@chainsafe/blst';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { hash_to_field } from '@noble/curves/abstract/hash-to-curve.js';
import { sha256 } from '@noble/hashes/sha2.js';

/**
 * Hashing to the curve under any tag, and multiplication (RFC 9380, BLS12381G2_XMD:SHA-256_SSWU_RO_). The native library hashes under
 * one tag only, and noble takes the square root of a field element by a power of 760 bits, both of which makes a signature 25 ms.
 * Here a root is two powers of 381 bits in the base field, and the native library adds the points.
 */

const { Fp, Fp2 } = bls12_381.fields;
type Element = ReturnType<typeof Fp2.create>;
interface AffinePoint {
  readonly x: Element;
  readonly y: Element;
}

const of = (c0: bigint, c1: bigint): Element => Fp2.fromBigTuple([c0, c1]);

/** The curve y² = x³ + Ax + B that is hashed to first, and the non-square Z (section 8.8.2). */
const A = of(0n, 240n);
const B = of(1012n, 1012n);
const Z = of(-2n, -1n);
const MINUS_B_BY_A = Fp2.neg(Fp2.div(B, A));

/** The absolute value of the curve's parameter, which is negative. */
const PARAMETER = 0xd201000000010000n;

/** For the endomorphism ψ: x̄ and ȳ are multiplied by these. */
const PSI_X = Fp2.inv(Fp2.pow(of(1n, 1n), (Fp.ORDER - 1n) / 3n));
const PSI_Y = Fp2.inv(Fp2.pow(of(1n, 1n), (Fp.ORDER - 1n) / 2n));

export function hashToCurve(message: Uint8Array, tag: string): native.Signature {
  const [first, second] = hash_to_field(message, 2, {
    DST: tag,
    p: Fp.ORDER,
    m: 2,
    k: 128,
    expand: 'xmd',
    hash: sha256,
  }).map(([c0 = 0n, c1 = 0n]) => toCurve(mapToIsogenousCurve(of(c0, c1))));
  if (first === undefined || second === undefined) throw new RangeError('two field elements are needed');
  const { x, y } = bls12_381.G2.Point.fromAffine(first).add(bls12_381.G2.Point.fromAffine(second)).toAffine();
  return clearCofactor({ x, y });
}

/** Digit by digit to the base 4, which takes the fewest calls and additions; the scalar is positive. */
export function multiply(point: native.Signature, scalar: bigint): native.Signature {
  let product: native.Signature | undefined;
  for (const digit of scalar.toString(4)) {
    const former = product === undefined ? [] : [product, product, product, product];
    product = native.aggregateSignatures(
      [...former, ...new Array<native.Signature>(Number(digit)).fill(point)],
      false,
    );
  }
  if (product === undefined) throw new RangeError('not a positive number');
  return product;
}

/** Simplified Shallue, van de Woestijne and Ulas (section 6.6.2). */
function mapToIsogenousCurve(u: Element): AffinePoint {
  const zuu = Fp2.mul(Z, Fp2.sqr(u));
  const sum = Fp2.add(Fp2.sqr(zuu), zuu);
  const x1 = Fp2.is0(sum) ? Fp2.div(B, Fp2.mul(Z, A)) : Fp2.mul(MINUS_B_BY_A, Fp2.add(Fp2.ONE, Fp2.inv(sum)));
  const right1 = Fp2.add(Fp2.mul(Fp2.add(Fp2.sqr(x1), A), x1), B);
  const root1 = squareRoot(right1);
  const x = root1 === undefined ? Fp2.mul(zuu, x1) : x1;
  const y = root1 ?? squareRoot(Fp2.mul(Fp2.mul(Fp2.sqr(zuu), zuu), right1));
  if (y === undefined) throw new RangeError('one of the two is a square');
  return { x, y: isNegative(u) === isNegative(y) ? y : Fp2.neg(y) };
}

/** Section 4.1, `sgn0`. */
function isNegative({ c0, c1 }: Element): boolean {
  return ((c0 === 0n ? c1 : c0) & 1n) === 1n;
}

/** By the root of the norm, as of a complex number; undefined for what is not a square. */
function squareRoot(value: Element): Element | undefined {
  const { c0, c1 } = value;
  const norm = Fp.add(Fp.sqr(c0), Fp.sqr(c1));
  const root = halfPower(norm);
  if (Fp.sqr(root) !== norm) return undefined;
  const half = Fp.div(Fp.add(c0, root), 2n);
  const part = halfPower(half);
  if (part === 0n) return undefined; // 0 and negative numbers of the base field, which cannot be found by hashing
  const other = Fp.div(c1, Fp.add(part, part));
  return Fp.sqr(part) === half ? of(part, other) : of(other, part);
}

/** The square root of a square, or that of its negative. */
function halfPower(value: bigint): bigint {
  return Fp.pow(value, (Fp.ORDER + 1n) / 4n);
}

/** The isogeny of degree 3 (appendix E.3), whose coefficients are fractions of small numbers. */
function toCurve({ x, y }: AffinePoint): AffinePoint {
  const scale = Fp2.inv(Fp2.mul(of(3n, 0n), Fp2.add(x, of(6n, -6n))));
  const polynomial = (a: Element, b: Element, c: Element): Element =>
    Fp2.add(Fp2.mul(Fp2.add(Fp2.mul(Fp2.add(x, a), x), b), x), c);
  const scaleSquared = Fp2.sqr(scale);
  return {
    x: Fp2.mul(polynomial(of(12n, -12n), of(0n, -24n), of(304n, 304n)), scaleSquared),
    y: Fp2.neg(
      Fp2.mul(
        Fp2.mul(y, polynomial(of(18n, -18n), of(0n, -264n), of(-752n, -752n))),
        Fp2.mul(scaleSquared, scale),
      ),
    ),
  };
}

/** Into the subgroup (appendix G.3): with n the parameter, n²P − nP − P + nψ(P) − ψ(P) + ψ²(2P). */
function clearCofactor(affine: AffinePoint): native.Signature {
  const psi = applyPsi(affine);
  const [point, minusPoint] = [toNative(affine), toNative(negative(affine))];
  const [minusPsi, psiTwice] = [toNative(negative(psi)), toNative(applyPsi(psi))];
  const byParameter = multiply(point, PARAMETER);
  const rest = multiply(native.aggregateSignatures([byParameter, minusPsi], false), PARAMETER);
  return native.aggregateSignatures([rest, byParameter, minusPoint, minusPsi, psiTwice, psiTwice], false);
}

function applyPsi({ x, y }: AffinePoint): AffinePoint {
  return { x: Fp2.mul(conjugate(x), PSI_X), y: Fp2.mul(conjugate(y), PSI_Y) };
}

function conjugate({ c0, c1 }: Element): Element {
  return of(c0, -c1);
}

function negative({ x, y }: AffinePoint): AffinePoint {
  return { x, y: Fp2.neg(y) };
}

function toNative({ x, y }: AffinePoint): native.Signature {
  const coordinates = [x.c1, x.c0, y.c1, y.c0];
  return native.Signature.fromBytes(Buffer.concat(coordinates.map((value) => Fp.toBytes(value))), false);
}
