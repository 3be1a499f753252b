import { describe, expect, it } from '@jest/globals';
import { loadVectors } from '../../test/support/vectors.js';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { blst } from '../../src/avalanche/bls/blst.js';
import { signProofOfPossession } from './proof-of-possession.js';
import { verifyProofOfPossession } from '../../test/support/signatures/verify-proof-of-possession.js';

const vectors = loadVectors<{
  keys: {
    i: number;
    secretKey: string;
    publicKeyCompressed: string;
    proofOfPossession: string;
    signature: string;
  }[];
  localNetworkPublicKeys: { node: number; publicKey: string; proofOfPossession: string }[];
  message: string;
  popSignatureOverSameMessageByKey0: string;
}>('bls');
const ipVectors = loadVectors<{
  blsPublicKey: string;
  ips: { addrPort: string; bytes: string; blsSignature: string }[];
}>('ip_signing');

const secretKey = blst.secretKeyFromBytes(fromHex(vectors.keys[0]!.secretKey));
const publicKey = blst.publicKeyOf(secretKey);

describe('a proof of possession', () => {
  it.each(vectors.keys)('proves that key $i is possessed, as avalanchego does', (key) => {
    const secret = blst.secretKeyFromBytes(fromHex(key.secretKey));
    const proof = signProofOfPossession(secret);
    expect(toHex(proof.toBytes())).toBe(key.proofOfPossession);
    expect(verifyProofOfPossession(blst.publicKeyOf(secret), proof)).toBe(true);
  });

  it.each(vectors.localNetworkPublicKeys)(
    'proves that node $node of the local network possesses its key',
    (node) => {
      const key = blst.publicKeyFromBytes(fromHex(node.publicKey));
      expect(verifyProofOfPossession(key, blst.signatureFromBytes(fromHex(node.proofOfPossession)))).toBe(
        true,
      );
    },
  );

  it('proves nothing for another key', () => {
    const other = blst.signatureFromBytes(fromHex(vectors.keys[1]!.proofOfPossession));
    expect(verifyProofOfPossession(publicKey, other)).toBe(false);
  });

  it('differs from a signature of the same message', () => {
    const message = fromHex(vectors.message);
    const signature = signProofOfPossession(secretKey, message);
    expect(toHex(signature.toBytes())).toBe(vectors.popSignatureOverSameMessageByKey0);
    expect(verifyProofOfPossession(publicKey, signature, message)).toBe(true);
    const plain = blst.signatureFromBytes(fromHex(vectors.keys[0]!.signature));
    expect(verifyProofOfPossession(publicKey, plain, message)).toBe(false);
  });

  it('proves nothing at infinity', () => {
    const infinity = blst.signatureFromBytes(fromHex(`c0${'00'.repeat(95)}`));
    expect(verifyProofOfPossession(publicKey, infinity)).toBe(false);
  });

  it.each(ipVectors.ips)(
    'is made like the signature of the address $addrPort by a node',
    ({ bytes, blsSignature }) => {
      expect(ipVectors.blsPublicKey).toBe(vectors.keys[0]!.publicKeyCompressed);
      const signature = signProofOfPossession(secretKey, fromHex(bytes));
      expect(toHex(signature.toBytes())).toBe(blsSignature);
      expect(verifyProofOfPossession(publicKey, signature, fromHex(bytes))).toBe(true);
      expect(verifyProofOfPossession(publicKey, signature, fromHex(`${bytes}00`))).toBe(false);
    },
  );
});
