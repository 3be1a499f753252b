import { createPrivateKey, randomBytes, sign, X509Certificate, type KeyObject } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { p256 } from '@noble/curves/nist.js';
import { AvalancheError } from '../../avalanche.error.js';
import { nodeIdFromCertificate, nodeIdToString } from '../../ids/node-id.js';
import { parseStakingCertificate } from '../../staking/certificate.js';
import { makePrivateKey, makeStakingCertificate, toPem } from './certificate.js';

type TlsIdentityErrorCode = 'INVALID_SECRET' | 'INVALID_CERTIFICATE' | 'INVALID_KEY' | 'KEY_MISMATCH';

/** A certificate or key that the network would not accept. Raised before anything is sent. */
class TlsIdentityError extends AvalancheError<TlsIdentityErrorCode> {}

const SECRET_BYTES = 32;
const FILE_MODE = 0o600;

/**
 * Who we are to other nodes: a TLS key and its certificate, whose hash is the node id.
 * A node keeps one connection per node id, so no two running processes may share an identity.
 */
export class TlsIdentity {
  private constructor(
    readonly certPem: string,
    readonly keyPem: string,
    readonly certDer: Uint8Array,
    private readonly privateKey: KeyObject,
  ) {
    this.nodeId = nodeIdToString(nodeIdFromCertificate(certDer));
  }

  /** `NodeID-…` */
  readonly nodeId: string;

  /** A new, unique identity. */
  static generate(): TlsIdentity {
    return TlsIdentity.fromSecret(p256.utils.randomSecretKey());
  }

  /**
   * The identity of a 32-byte secret key on P-256, the same one every time.
   * Throws TlsIdentityError `INVALID_SECRET` when it is zero, not below the order of the curve, or of another length.
   */
  static fromSecret(secret: Uint8Array): TlsIdentity {
    if (secret.length !== SECRET_BYTES || !p256.utils.isValidSecretKey(secret)) {
      throw new TlsIdentityError('INVALID_SECRET', 'not a secret key of P-256');
    }
    return TlsIdentity.fromPem(
      toPem('CERTIFICATE', makeStakingCertificate(secret)),
      toPem('PRIVATE KEY', makePrivateKey(secret)),
    );
  }

  /**
   * An identity from configuration; of several certificates the first one counts.
   * Throws TlsIdentityError when a node would refuse it, or the key belongs to another certificate.
   */
  static fromPem(certPem: string, keyPem: string): TlsIdentity {
    const certificate = readCertificate(certPem);
    const privateKey = readPrivateKey(keyPem);
    if (!certificate.checkPrivateKey(privateKey)) {
      throw new TlsIdentityError('KEY_MISMATCH', 'the private key is not the one of the certificate');
    }
    return new TlsIdentity(certPem, keyPem, new Uint8Array(certificate.raw), privateKey);
  }

  /**
   * The identity kept in `dir` under `name`, made at the first call. Processes that start at once agree on one: the
   * file appears complete or not at all, and the first to appear stays.
   */
  static async loadOrCreate(dir: string, name: string): Promise<TlsIdentity> {
    const path = join(dir, `${name}.pem`);
    const kept = await readIfPresent(path);
    if (kept !== undefined) {
      return TlsIdentity.fromPem(kept, kept);
    }
    const made = TlsIdentity.generate();
    await mkdir(dir, { recursive: true });
    await writeOnce(path, made.certPem + made.keyPem);
    const agreed = await readFile(path, 'utf8');
    return TlsIdentity.fromPem(agreed, agreed);
  }

  /** Signs with the TLS key the way a node's address is signed: SHA-256, ECDSA in DER or RSA PKCS #1 v1.5. */
  sign(bytes: Uint8Array): Uint8Array {
    return new Uint8Array(sign('sha256', bytes, this.privateKey));
  }
}

function readCertificate(certPem: string): X509Certificate {
  try {
    const certificate = new X509Certificate(certPem);
    parseStakingCertificate(certificate.raw);
    return certificate;
  } catch (cause) {
    throw new TlsIdentityError('INVALID_CERTIFICATE', 'not a certificate that nodes accept', { cause });
  }
}

function readPrivateKey(keyPem: string): KeyObject {
  try {
    return createPrivateKey(keyPem);
  } catch {
    // The cause is left out: it may quote the key.
    throw new TlsIdentityError('INVALID_KEY', 'not a private key in PEM');
  }
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isErrorWithCode(error, 'ENOENT')) {
      return undefined;
    }
    throw error;
  }
}

/** Writes a file atomically; does nothing if it exists. */
async function writeOnce(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(8).toString('hex')}.tmp`;
  const file = await open(temporary, 'wx', FILE_MODE);
  try {
    await file.writeFile(text);
    await file.sync();
    await file.close();
    await link(temporary, path);
  } catch (error) {
    if (!isErrorWithCode(error, 'EEXIST')) {
      throw error;
    }
  } finally {
    await file.close().catch(() => undefined);
    await unlink(temporary);
  }
}

function isErrorWithCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
