import { describe, expect, it } from '@jest/globals';
import { createPublicKey, X509Certificate } from 'node:crypto';
import { loadVectors } from '../../../../test/support/vectors.js';
import { noble } from '../../bls/noble.js';
import { verifyProofOfPossession } from '../../../../test/support/signatures/verify-proof-of-possession.js';
import { fromHex, toHex } from '../../ids/hex.js';
import { signIp } from './handshake.js';
import { packUnsignedIp, verifyTlsSignature } from './signed-ip.js';
import { TlsIdentity } from './tls-identity.js';

interface Vectors {
  blsPublicKey: string;
  rsaCertDER: string;
  ips: {
    addrPort: string;
    bytes: string;
    timestamp: number;
    blsSignature: string;
    tlsSignatureECDSA: string;
    tlsSignatureRSA2048: string;
  }[];
}

const vectors = loadVectors<Vectors>('ip_signing');
const nodes = loadVectors<{
  valid: { kind: string; certPEM: string; keyPkcs8DerHex: string; certDER: string }[];
}>('node_ids');
const ecdsaNode = nodes.valid.find(({ kind }) => kind === 'ecdsa-p256')!;
const ips: Record<string, { ip: string; port: number }> = {
  '0.0.0.0:1': { ip: '00000000', port: 1 },
  '203.0.113.7:9651': { ip: 'cb007107', port: 9651 },
  '[2001:db8::1]:9651': { ip: '20010db8000000000000000000000001', port: 9651 },
};

describe.each(vectors.ips)('the signed address $addrPort', (vector) => {
  const { ip, port } = ips[vector.addrPort]!;
  const bytes = packUnsignedIp({ ip: fromHex(ip), port, timestampSeconds: BigInt(vector.timestamp) });

  it('has the bytes that nodes sign', () => expect(toHex(bytes)).toBe(vector.bytes));

  it('is verified with an ECDSA and with an RSA certificate', () => {
    const ecdsa = new X509Certificate(fromHex(ecdsaNode.certDER)).publicKey;
    const rsa = new X509Certificate(fromHex(vectors.rsaCertDER)).publicKey;
    expect(verifyTlsSignature(ecdsa, bytes, fromHex(vector.tlsSignatureECDSA))).toBe(true);
    expect(verifyTlsSignature(rsa, bytes, fromHex(vector.tlsSignatureRSA2048))).toBe(true);
    expect(verifyTlsSignature(ecdsa, bytes, fromHex(vector.tlsSignatureRSA2048))).toBe(false);
    expect(verifyTlsSignature(rsa, bytes, fromHex(vector.tlsSignatureECDSA))).toBe(false);
    expect(verifyTlsSignature(ecdsa, bytes.subarray(1), fromHex(vector.tlsSignatureECDSA))).toBe(false);
    expect(verifyTlsSignature(ecdsa, bytes, new Uint8Array())).toBe(false);
  });

  it('has a BLS signature under the tag of proofs of possession', () => {
    const publicKey = noble.publicKeyFromBytes(fromHex(vectors.blsPublicKey));
    const signature = noble.signatureFromBytes(fromHex(vector.blsSignature));
    expect(verifyProofOfPossession(publicKey, signature, bytes)).toBe(true);
  });
});

describe(signIp.name, () => {
  it('makes both signatures', () => {
    const keyPem = `-----BEGIN PRIVATE KEY-----\n${Buffer.from(ecdsaNode.keyPkcs8DerHex, 'hex').toString('base64')}\n-----END PRIVATE KEY-----\n`;
    const identity = TlsIdentity.fromPem(ecdsaNode.certPEM, keyPem);
    const secretKey = noble.secretKeyFromBytes(new Uint8Array(32).fill(7));
    const address = { ip: fromHex('cb007107'), port: 9651, timestampSeconds: 1700000000n };
    const signed = signIp(address, identity, secretKey);
    const bytes = packUnsignedIp(address);
    expect(verifyTlsSignature(createPublicKey(identity.certPem), bytes, signed.tlsSignature)).toBe(true);
    expect(
      verifyProofOfPossession(
        noble.publicKeyOf(secretKey),
        noble.signatureFromBytes(signed.blsSignature),
        bytes,
      ),
    ).toBe(true);
  });
});

describe(packUnsignedIp.name, () => {
  it.each([
    ['an address of 5 bytes', { ip: new Uint8Array(5), port: 1, timestampSeconds: 0n }],
    ['no address', { ip: new Uint8Array(), port: 1, timestampSeconds: 0n }],
    ['a port of 65536', { ip: new Uint8Array(4), port: 65536, timestampSeconds: 0n }],
  ])('refuses %s', (_, address) => {
    expect(() => packUnsignedIp(address)).toThrow(expect.objectContaining({ code: 'INVALID_IP_CLAIM' }));
  });
});
