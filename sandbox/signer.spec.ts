import { describe, expect, it } from '@jest/globals';
import { blst } from '../src/avalanche/bls/blst.js';
import { noble } from '../src/avalanche/bls/noble.js';
import { toHex } from '../src/avalanche/ids/hex.js';
import { INDEPENDENT_KEYS } from './derived-keys.js';
import { SigningStock } from './signer.js';

const message = Buffer.from('a message');

describe(SigningStock.name, () => {
  it.each([0, 1, INDEPENDENT_KEYS - 1, INDEPENDENT_KEYS, INDEPENDENT_KEYS + 33, 999])(
    'signs for validator %d as its whole secret key would',
    (index) => {
      const signer = new SigningStock('seed').signerOf(index);
      const expected = noble.sign(message, noble.secretKeyFromBytes(signer.secretKey.toBytes())).toBytes();
      expect(toHex(signer.sign(message))).toBe(toHex(expected));
      const publicKey = blst.publicKeyFromBytes(signer.publicKey);
      expect(blst.verify(message, publicKey, blst.signatureFromBytes(signer.sign(message)))).toBe(true);
    },
  );

  it('gives every validator a key of its own, the same one for the same seed', () => {
    const keysOf = (seed: string) => {
      const stock = new SigningStock(seed);
      return Array.from({ length: 1_000 }, (_, index) => toHex(stock.signerOf(index).publicKey));
    };
    const keys = keysOf('seed');
    expect(new Set(keys).size).toBe(1_000);
    expect(keysOf('seed')).toEqual(keys);
    expect(keysOf('another').filter((key) => keys.includes(key))).toEqual([]);
  });

  it('keeps a bounded number of signatures', () => {
    const stock = new SigningStock('seed');
    const signer = stock.signerOf(70);
    for (let i = 0; i < 1_000; i++) signer.sign(Buffer.from(`message ${i}`));
    const sizes = [Reflect.get(signer, 'cache'), Reflect.get(stock, 'signatures')].map(
      (map) => (map as Map<string, unknown>).size,
    );
    expect(sizes).toEqual([500, 256]);
  });
});
