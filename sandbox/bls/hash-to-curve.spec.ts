import { describe, expect, it } from '@jest/globals';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { blst } from '../../src/avalanche/bls/blst.js';
import { PROOF_OF_POSSESSION_DST } from '../../src/avalanche/bls/bls.interface.js';
import { hashToCurve, multiply } from './hash-to-curve.js';
import { noble, SIGNATURE_DST } from '../../src/avalanche/bls/noble.js';
import { signWithDst } from '../../test/support/signatures/other-ciphersuite.js';

const messages = Array.from({ length: 24 }, (_, index) => Buffer.from('m'.repeat(index * 5)));
const secretKeyOf = (byte: number) => noble.secretKeyFromBytes(new Uint8Array(32).fill(byte));
const scalarOf = (byte: number) => BigInt(`0x${toHex(new Uint8Array(32).fill(byte))}`);

describe(hashToCurve.name, () => {
  it.each([PROOF_OF_POSSESSION_DST, SIGNATURE_DST, 'another'])(
    'agrees with noble under the tag %s',
    (tag) => {
      for (const message of messages) {
        const ours = multiply(hashToCurve(message, tag), scalarOf(0x11)).toBytes(true);
        expect(toHex(ours)).toBe(toHex(signWithDst(message, tag, secretKeyOf(0x11))));
      }
    },
  );

  it('gives points of the subgroup', () => {
    for (const message of messages) {
      const bytes = new Uint8Array(hashToCurve(message, PROOF_OF_POSSESSION_DST).toBytes(true));
      expect(() => blst.signatureFromBytes(bytes)).not.toThrow();
    }
  });
});

describe(multiply.name, () => {
  const message = Buffer.from('message');
  const point = hashToCurve(message, SIGNATURE_DST);

  it.each([1n, 2n, 3n, 4n, 5n, 255n, 2n ** 64n - 1n, 2n ** 254n])(
    'signs as the native library does, with the key %s',
    (scalar) => {
      const secretKey = blst.secretKeyFromBytes(
        new Uint8Array(Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex')),
      );
      expect(toHex(multiply(point, scalar).toBytes(true))).toBe(
        toHex(blst.sign(message, secretKey).toBytes()),
      );
    },
  );
});
