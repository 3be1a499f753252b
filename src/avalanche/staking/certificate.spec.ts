import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { loadVectors } from '../../../test/support/vectors.js';
import { fromHex, toHex } from '../ids/hex.js';
import { parseStakingCertificate, StakingCertificateError } from './certificate.js';

interface Vector {
  kind: string;
  certDER: string;
}

const vectors = loadVectors<{
  valid: (Vector & { nodeIDHex: string; certPEM?: string })[];
  invalid: (Vector & { error: string })[];
}>('node_ids');

function codeOf(der: Uint8Array): string {
  try {
    parseStakingCertificate(der);
    return 'accepted';
  } catch (error) {
    if (error instanceof StakingCertificateError) return error.code;
    throw error;
  }
}

function certificate(kind: string): Uint8Array {
  const found = vectors.valid.find((vector) => vector.kind === kind);
  if (!found) throw new Error(`no ${kind} in the vectors`);
  return fromHex(found.certDER);
}

describe(parseStakingCertificate.name, () => {
  it.each(vectors.valid)('accepts $kind and finds its node id', ({ certDER, nodeIDHex }) => {
    expect(toHex(parseStakingCertificate(fromHex(certDER)).nodeId)).toBe(nodeIDHex);
  });

  const codes: Record<string, string> = {
    'ecdsa-p384': 'UNSUPPORTED_PUBLIC_KEY',
    'rsa-3072': 'UNSUPPORTED_PUBLIC_KEY',
    'ecdsa-p256-long': 'CERTIFICATE_TOO_LONG',
  };
  it.each(vectors.invalid)('refuses $kind ($error)', ({ kind, certDER }) => {
    expect(codeOf(fromHex(certDER))).toBe(codes[kind]);
  });

  it('refuses an RSA exponent other than 65537', () => {
    const hex = toHex(certificate('rsa-2048'));
    expect(hex).toContain('0203010001');
    expect(codeOf(fromHex(hex.replace('0203010001', '0203010003')))).toBe('UNSUPPORTED_PUBLIC_KEY');
  });

  it('refuses anything but exactly one DER certificate', () => {
    const der = certificate('ecdsa-p256');
    const pem = vectors.valid.find(({ certPEM }) => certPEM)?.certPEM ?? '';
    expect(pem).toContain('BEGIN CERTIFICATE');
    expect(codeOf(new TextEncoder().encode(pem))).toBe('MALFORMED_CERTIFICATE');
    expect(codeOf(Uint8Array.from([...der, 0]))).toBe('MALFORMED_CERTIFICATE');
    expect(codeOf(der.slice(0, -1))).toBe('MALFORMED_CERTIFICATE');
    expect(codeOf(new Uint8Array(0))).toBe('MALFORMED_CERTIFICATE');
  });

  it('raises nothing but its own error on mutated and random bytes', () => {
    const der = certificate('ecdsa-p256');
    const mutation = fc.tuple(fc.nat({ max: der.length - 1 }), fc.nat({ max: 255 }));
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 4 }), (mutations) => {
        const mutated = Uint8Array.from(der);
        for (const [place, byte] of mutations) mutated[place] = byte;
        codeOf(mutated);
      }),
    );
    fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => void codeOf(bytes)));
  });
});
