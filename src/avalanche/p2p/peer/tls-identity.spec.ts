import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadVectors } from '../../../../test/support/vectors.js';
import { fromHex } from '../../ids/hex.js';
import { nodeIdFromCertificate, nodeIdToString } from '../../ids/node-id.js';
import { parseStakingCertificate } from '../../staking/certificate.js';
import { makeStakingCertificate, toPem } from './certificate.js';
import { verifyTlsSignature } from './signed-ip.js';
import { TlsIdentity } from './tls-identity.js';

interface Vectors {
  valid: { kind: string; nodeID: string; certDER: string; certPEM?: string; keyPkcs8DerHex?: string }[];
  invalid: { kind: string; certDER: string }[];
}

const vectors = loadVectors<Vectors>('node_ids');
const ecdsaNode = vectors.valid.find(({ kind }) => kind === 'ecdsa-p256')!;
const keyPem = toPem('PRIVATE KEY', fromHex(ecdsaNode.keyPkcs8DerHex!));
const secret = createHash('sha256').update('an identity of the tests').digest();

describe(TlsIdentity.name, () => {
  it('takes the certificate and key of a node', () => {
    const identity = TlsIdentity.fromPem(ecdsaNode.certPEM!, keyPem);
    expect(identity.nodeId).toBe(ecdsaNode.nodeID);
    expect(Buffer.from(identity.certDer).toString('hex')).toBe(ecdsaNode.certDER);
  });

  it('makes the same identity from the same secret', () => {
    const identity = TlsIdentity.fromSecret(secret);
    // Written down: a change would give every sandbox validator and every kept identity a new node id.
    expect(identity.nodeId).toBe('NodeID-Gm7QdnYioPN3cuAnKSksWjKSVexxhRh1p');
    expect(TlsIdentity.fromSecret(secret).certPem).toBe(identity.certPem);
    expect(TlsIdentity.fromSecret(secret).keyPem).toBe(identity.keyPem);
  });

  it('makes a certificate that differs from a node’s own in key, end date and signature only', () => {
    const ours = makeStakingCertificate(secret);
    const theirs = fromHex(ecdsaNode.certDER);
    const upToNotBefore = (der: Uint8Array): string => Buffer.from(der.subarray(7, 46)).toString('hex');
    const extensions = (der: Uint8Array): string => Buffer.from(der.subarray(156, 202)).toString('hex');
    expect(upToNotBefore(ours)).toBe(upToNotBefore(theirs));
    expect(extensions(ours)).toBe(extensions(theirs));
  });

  it('signs its certificate and whatever else it is asked to', () => {
    const identity = TlsIdentity.generate();
    const certificate = new X509Certificate(identity.certDer);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(Number.parseInt(certificate.serialNumber, 16)).toBe(0);
    expect(certificate.subject ?? '').toBe('');
    expect(Date.parse(certificate.validTo)).toBeGreaterThan(Date.now());
    const bytes = Uint8Array.of(1, 2, 3);
    expect(verifyTlsSignature(createPublicKey(identity.certPem), bytes, identity.sign(bytes))).toBe(true);
    expect(nodeIdToString(nodeIdFromCertificate(identity.certDer))).toBe(identity.nodeId);
    expect(nodeIdToString(parseStakingCertificate(identity.certDer).nodeId)).toBe(identity.nodeId);
  });

  it('makes a new identity each time', () => {
    expect(TlsIdentity.generate().nodeId).not.toBe(TlsIdentity.generate().nodeId);
  });

  it.each([
    new Uint8Array(32),
    new Uint8Array(32).fill(0xff),
    new Uint8Array(31).fill(1),
    new Uint8Array(33).fill(1),
  ])('refuses a secret that is no key', (bytes) => {
    expect(() => TlsIdentity.fromSecret(bytes)).toThrow(expect.objectContaining({ code: 'INVALID_SECRET' }));
  });

  it.each(vectors.invalid)('refuses a certificate of kind $kind', ({ certDER }) => {
    expect(() => TlsIdentity.fromPem(toPem('CERTIFICATE', fromHex(certDER)), keyPem)).toThrow(
      expect.objectContaining({ code: 'INVALID_CERTIFICATE' }),
    );
  });

  it('refuses a key of another certificate, and what is no key', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const otherPem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    expect(() => TlsIdentity.fromPem(ecdsaNode.certPEM!, otherPem)).toThrow(
      expect.objectContaining({ code: 'KEY_MISMATCH' }),
    );
    expect(() => TlsIdentity.fromPem(ecdsaNode.certPEM!, 'no key')).toThrow(
      expect.objectContaining({ code: 'INVALID_KEY' }),
    );
    expect(() => TlsIdentity.fromPem('no certificate', keyPem)).toThrow(
      expect.objectContaining({ code: 'INVALID_CERTIFICATE' }),
    );
  });

  describe('in a folder', () => {
    let dir: string;

    beforeEach(async () => {
      dir = await mkdtemp(join(tmpdir(), 'tls-identity-'));
    });

    afterEach(() => rm(dir, { recursive: true }));

    it('is made once, readable by its owner only', async () => {
      const made = await TlsIdentity.loadOrCreate(join(dir, 'deep', 'er'), 'worker');
      const loaded = await TlsIdentity.loadOrCreate(join(dir, 'deep', 'er'), 'worker');
      expect(loaded.nodeId).toBe(made.nodeId);
      const { mode } = await stat(join(dir, 'deep', 'er', 'worker.pem'));
      expect((mode & 0o777).toString(8)).toBe('600');
    });

    it('is the same for all who start at once', async () => {
      const identities = await Promise.all(
        Array.from({ length: 20 }, () => TlsIdentity.loadOrCreate(dir, 'worker')),
      );
      expect(new Set(identities.map(({ nodeId }) => nodeId)).size).toBe(1);
      expect(await readdir(dir)).toEqual(['worker.pem']);
    });

    it('is refused when the file was damaged', async () => {
      await writeFile(join(dir, 'worker.pem'), 'damaged');
      await expect(TlsIdentity.loadOrCreate(dir, 'worker')).rejects.toMatchObject({
        code: 'INVALID_CERTIFICATE',
      });
    });
  });
});
