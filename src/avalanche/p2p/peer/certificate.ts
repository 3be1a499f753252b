import { p256 } from '@noble/curves/nist.js';

/** The dates are fixed, so that a secret always gives the same bytes and hence the same node id. Nodes do not check them. */
const NOT_BEFORE = '991231000000Z';
const NOT_AFTER = '21991231000000Z';

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  explicit: 0xa0,
} as const;

/** Object identifiers by their encoded content. */
const OID = {
  ecPublicKey: '2a8648ce3d0201',
  prime256v1: '2a8648ce3d030107',
  ecdsaWithSha256: '2a8648ce3d040302',
  keyUsage: '551d0f',
  basicConstraints: '551d13',
} as const;

/** One DER value. */
function der(tag: number, ...contents: Uint8Array[]): Uint8Array {
  const content = Buffer.concat(contents);
  const { length } = content;
  const lengthBytes =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Uint8Array.of(tag, ...lengthBytes), content]);
}

const sequence = (...contents: Uint8Array[]): Uint8Array => der(TAG.sequence, ...contents);
const oid = (hex: string): Uint8Array => der(TAG.objectIdentifier, Buffer.from(hex, 'hex'));
const bitString = (bytes: Uint8Array, unusedBits = 0): Uint8Array =>
  der(TAG.bitString, Uint8Array.of(unusedBits), bytes);
const explicit = (index: number, content: Uint8Array): Uint8Array => der(TAG.explicit + index, content);
const integer = (value: number): Uint8Array => der(TAG.integer, Uint8Array.of(value));
const criticalExtension = (id: string, value: Uint8Array): Uint8Array =>
  sequence(oid(id), der(TAG.boolean, Uint8Array.of(0xff)), der(TAG.octetString, value));

/**
 * Makes the certificate that avalanchego makes for itself (staking/tls.go, NewCertAndKeyBytes): X.509 v3, self-signed
 * by an ECDSA P-256 key, serial number 0, no names. The same secret gives the same certificate.
 * @param secret 32 bytes, big endian, from 1 to the order of the curve less one; noble refuses others
 */
export function makeStakingCertificate(secret: Uint8Array): Uint8Array {
  const algorithm = sequence(oid(OID.ecdsaWithSha256));
  const noName = sequence();
  const digitalSignature = bitString(Uint8Array.of(0x80), 7);
  const body = sequence(
    explicit(0, integer(2)),
    integer(0),
    algorithm,
    noName,
    sequence(der(TAG.utcTime, Buffer.from(NOT_BEFORE)), der(TAG.generalizedTime, Buffer.from(NOT_AFTER))),
    noName,
    sequence(
      sequence(oid(OID.ecPublicKey), oid(OID.prime256v1)),
      bitString(p256.getPublicKey(secret, false)),
    ),
    explicit(
      3,
      sequence(
        criticalExtension(OID.keyUsage, digitalSignature),
        criticalExtension(OID.basicConstraints, sequence()),
      ),
    ),
  );
  return sequence(body, algorithm, bitString(p256.sign(body, secret, { format: 'der' })));
}

/** The secret as a PKCS #8 private key. */
export function makePrivateKey(secret: Uint8Array): Uint8Array {
  const key = sequence(
    integer(1),
    der(TAG.octetString, secret),
    explicit(1, bitString(p256.getPublicKey(secret, false))),
  );
  return sequence(integer(0), sequence(oid(OID.ecPublicKey), oid(OID.prime256v1)), der(TAG.octetString, key));
}

/** PEM text of DER bytes. */
export function toPem(label: 'CERTIFICATE' | 'PRIVATE KEY', bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
