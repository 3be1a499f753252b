import { X509Certificate, type KeyObject } from 'node:crypto';
import { AvalancheError } from '../avalanche.error.js';
import { nodeIdFromCertificate } from '../ids/node-id.js';

/** Longest certificate a node accepts (avalanchego v1.14.2 staking/asn1.go, MaxCertificateLen). */
const MAX_CERTIFICATE_BYTES = 2048;

const RSA_MODULUS_BITS: readonly (number | undefined)[] = [2048, 4096];
const RSA_PUBLIC_EXPONENT = 65537n;

export type StakingCertificateErrorCode =
  'CERTIFICATE_TOO_LONG' | 'MALFORMED_CERTIFICATE' | 'UNSUPPORTED_PUBLIC_KEY';

/** A node that shows this certificate is refused by the network. */
export class StakingCertificateError extends AvalancheError<StakingCertificateErrorCode> {}

export interface StakingCertificate {
  nodeId: Uint8Array;
  publicKey: KeyObject;
}

/**
 * Reads a peer's TLS certificate, DER, untrusted (avalanchego v1.14.2 staking/parse.go and staking/verify.go). Accepted are keys of ECDSA
 * P-256, and RSA of 2048 or 4096 bits with exponent 65537. Names, dates and the certificate's own signature mean nothing here. Throws
 * StakingCertificateError.
 */
export function parseStakingCertificate(der: Uint8Array): StakingCertificate {
  if (der.length > MAX_CERTIFICATE_BYTES) {
    throw new StakingCertificateError('CERTIFICATE_TOO_LONG', `certificate of ${der.length} bytes`);
  }
  const publicKey = readPublicKey(der);
  if (!isAcceptedKey(publicKey)) {
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = publicKey;
    throw new StakingCertificateError(
      'UNSUPPORTED_PUBLIC_KEY',
      `${type} key (${details?.namedCurve ?? details?.modulusLength ?? '?'})`,
    );
  }
  return { nodeId: nodeIdFromCertificate(der), publicKey };
}

function readPublicKey(der: Uint8Array): KeyObject {
  try {
    const certificate = new X509Certificate(der);
    // OpenSSL would also take PEM, or DER with bytes after it: the node id is a hash of exactly the DER.
    if (!certificate.raw.equals(der)) throw new Error('not exactly one DER certificate');
    return certificate.publicKey;
  } catch (cause) {
    throw new StakingCertificateError('MALFORMED_CERTIFICATE', 'not an X.509 certificate', { cause });
  }
}

function isAcceptedKey({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  if (asymmetricKeyType === 'ec') return asymmetricKeyDetails?.namedCurve === 'prime256v1';
  return (
    asymmetricKeyType === 'rsa' &&
    RSA_MODULUS_BITS.includes(asymmetricKeyDetails?.modulusLength) &&
    asymmetricKeyDetails?.publicExponent === RSA_PUBLIC_EXPONENT
  );
}
