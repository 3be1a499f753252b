import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { describe, expect, it } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { loadVectors } from '../../../../test/support/vectors.js';
import { noble } from '../../bls/noble.js';
import { fromHex } from '../../ids/hex.js';
import { HandshakeSchema, type Handshake } from '../../proto/generated/p2p_pb.js';
import { EMPTY_BLOOM_FILTER } from '../network/bloom-filter.js';
import {
  compareVersions,
  HandshakeError,
  makeHandshake,
  signIp,
  validateHandshake,
  type HandshakeExpectations,
} from './handshake.js';
import { decodeMessage } from '../messages/p2p-message.js';
import { TlsIdentity } from './tls-identity.js';

const NOW = 1_700_000_005n;
const identity = TlsIdentity.generate();
const secretKey = noble.secretKeyFromBytes(new Uint8Array(32).fill(5));
const signedIp = signIp(
  { ip: new Uint8Array(4), port: 1, timestampSeconds: 1_577_836_800n },
  identity,
  secretKey,
);
const clientVersion = { name: 'avalanchego', major: 1, minor: 14, patch: 2 };
const honest = makeHandshake({
  networkId: 5,
  nowSeconds: NOW,
  signedIp,
  clientVersion,
  trackedSubnets: [],
  allSubnets: true,
});
const expectations: HandshakeExpectations = {
  networkId: 5,
  nowSeconds: NOW,
  publicKey: new X509Certificate(identity.certDer).publicKey,
  maximumMajor: 1,
  minimumVersion: { major: 1, minor: 14, patch: 0 },
};

function changed(change: MessageInitShape<typeof HandshakeSchema>): Handshake {
  const { $typeName: _, $unknown: __, ...fields } = honest;
  return create(HandshakeSchema, { ...fields, ...change });
}

const manyAcps = (length: number): number[] => Array.from({ length }, (_, index) => index);
const validate = (handshake: Handshake) => () => validateHandshake(handshake, expectations);

describe(makeHandshake.name, () => {
  it('leaves out the filter when nothing is known', () => {
    expect(honest.knownPeers).toBeUndefined();
    const knownPeers = { filter: EMPTY_BLOOM_FILTER, salt: new Uint8Array(32) };
    const parameters = {
      networkId: 5,
      nowSeconds: NOW,
      signedIp,
      clientVersion,
      trackedSubnets: [],
      allSubnets: true,
    };
    expect(makeHandshake({ ...parameters, knownPeers }).knownPeers).toMatchObject(knownPeers);
  });
});

/** The verdicts are those that a node built from avalanchego showed. */
describe(validateHandshake.name, () => {
  it.each<[string, MessageInitShape<typeof HandshakeSchema>]>([
    ['as it is', {}],
    ['55 s behind', { myTime: NOW - 55n }],
    ['60 s ahead', { myTime: NOW + 60n }],
    ['of 1.14.0', { client: { ...clientVersion, patch: 0 } }],
    ['of 1.99.0 by another name', { client: { name: 'other', major: 1, minor: 99, patch: 0 } }],
    ['with 16 subnets', { trackedSubnets: Array<Uint8Array>(16).fill(new Uint8Array(32)) }],
    ['that supports 512 ACPs', { supportedAcps: manyAcps(512) }],
    ['with a BLS signature that is no point', { ipBlsSig: new Uint8Array(96).fill(0xff) }],
    ['with the smallest filter', { knownPeers: { filter: EMPTY_BLOOM_FILTER, salt: new Uint8Array(32) } }],
  ])('accepts a handshake %s', (_, change) => expect(validate(changed(change))).not.toThrow());

  it.each<[string, string, MessageInitShape<typeof HandshakeSchema>]>([
    ['WRONG_NETWORK', 'of another network', { networkId: 1 }],
    ['CLOCK_DIFFERENCE', '61 s ahead', { myTime: NOW + 61n }],
    ['CLOCK_DIFFERENCE', '61 s behind', { myTime: NOW - 61n }],
    ['CLOCK_DIFFERENCE', 'of the end of time', { myTime: 2n ** 64n - 1n }],
    ['INVALID_CLIENT', 'without a version', { client: undefined }],
    ['INCOMPATIBLE_VERSION', 'of 1.13.9', { client: { ...clientVersion, minor: 13, patch: 9 } }],
    ['INCOMPATIBLE_VERSION', 'of 2.0.0', { client: { ...clientVersion, major: 2 } }],
    [
      'INVALID_SUBNETS',
      'with 17 subnets',
      { trackedSubnets: Array<Uint8Array>(17).fill(new Uint8Array(32)) },
    ],
    ['INVALID_SUBNETS', 'with a subnet of 31 bytes', { trackedSubnets: [new Uint8Array(31)] }],
    [
      'INVALID_CLIENT',
      'with a name of 65 characters',
      { client: { ...clientVersion, name: 'x'.repeat(65) } },
    ],
    ['TOO_MANY_ACPS', 'that supports 513 ACPs', { supportedAcps: manyAcps(513) }],
    ['TOO_MANY_ACPS', 'that objects to 513 ACPs', { objectedAcps: manyAcps(513) }],
    ['CONFLICTING_ACPS', 'that wants and objects', { supportedAcps: [1, 2], objectedAcps: [3, 2] }],
    ['INVALID_KNOWN_PEERS', 'with an empty filter', { knownPeers: {} }],
    [
      'INVALID_KNOWN_PEERS',
      'with a salt of 33 bytes',
      { knownPeers: { filter: EMPTY_BLOOM_FILTER, salt: new Uint8Array(33) } },
    ],
    ['INVALID_IP', 'with port 0', { ipPort: 0 }],
    ['INVALID_IP', 'with port 65537', { ipPort: 65_537 }],
    ['INVALID_IP', 'with an address of 3 bytes', { ipAddr: new Uint8Array(3) }],
    ['INVALID_IP', 'signed 61 s ahead', { ipSigningTime: NOW + 61n }],
    ['INVALID_IP_SIGNATURE', 'with the signature of another time', { ipSigningTime: 1_577_836_801n }],
    ['INVALID_IP_SIGNATURE', 'without a BLS signature', { ipBlsSig: new Uint8Array() }],
  ])('refuses with %s one %s', (code, _, change) => {
    expect(validate(changed(change))).toThrow(HandshakeError);
    expect(validate(changed(change))).toThrow(expect.objectContaining({ code }));
  });

  it('returns the version alone, and nothing that holds on to the message', () => {
    expect(validateHandshake(changed({ supportedAcps: manyAcps(512) }), expectations)).toStrictEqual(
      clientVersion,
    );
  });

  it('asks less of a node when we dialled it', () => {
    const { networkId, nowSeconds, publicKey } = expectations;
    const lenient = { networkId, nowSeconds, publicKey };
    const old = changed({ client: { ...clientVersion, minor: 1 }, ipBlsSig: new Uint8Array(96).fill(0xff) });
    expect(() => validateHandshake(old, lenient)).not.toThrow();
    expect(() => validateHandshake(changed({ ipBlsSig: new Uint8Array(95) }), lenient)).toThrow(
      HandshakeError,
    );
  });

  it('accepts the handshakes of a node', () => {
    const certificate = loadVectors<{ valid: { kind: string; certDER: string }[] }>('node_ids').valid[0]!;
    const { plain } = loadVectors<{ plain: { name: string; bytes: string }[] }>('p2p_messages');
    const publicKey = new X509Certificate(fromHex(certificate.certDER)).publicKey;
    const handshakes = plain.filter(({ name }) => name.startsWith('handshake'));
    expect(handshakes.length).toBeGreaterThan(2);
    for (const { bytes } of handshakes) {
      const message = decodeMessage(fromHex(bytes));
      if (message.case !== 'handshake') throw new Error('not a handshake');
      const handshake = message.value;
      expect(() => validateHandshake(handshake, { ...expectations, publicKey })).not.toThrow();
    }
  });
});

describe(compareVersions.name, () => {
  it('looks at major, minor and patch in this order', () => {
    const texts = ['2.0.0', '1.14.10', '1.9.99', '1.14.2', '0.99.99'];
    const versions = texts.map((text) => {
      const [major = 0, minor = 0, patch = 0] = text.split('.').map(Number);
      return { major, minor, patch };
    });
    const sorted = versions
      .sort(compareVersions)
      .map(({ major, minor, patch }) => `${major}.${minor}.${patch}`);
    expect(sorted).toEqual(['0.99.99', '1.9.99', '1.14.2', '1.14.10', '2.0.0']);
  });
});
