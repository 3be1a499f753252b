import { describe, expect, it, jest } from '@jest/globals';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { loadVectors } from '../../../../test/support/vectors.js';
import { fromHex, toHex } from '../../ids/hex.js';
import { FrameReader, MAX_MESSAGE_BYTES, packFrame } from './message-framing.js';
import {
  decodeMessage,
  encodeCompressedMessage,
  encodeMessage,
  type P2pMessage,
  type P2pMessageInit,
} from './p2p-message.js';
import { P2pError } from '../p2p.error.js';
import { packStoredZstd } from '../zstd/zstd.js';

interface ClaimFields {
  x509Certificate: string;
  ipAddr: string;
  ipPort: number;
  timestamp: number;
  signature: string;
  txId: string;
}

/** Every message has some of these; which ones follows from its name. */
interface Fields extends ClaimFields {
  uptime: number;
  networkId: number;
  myTime: number;
  upgradeTime: number;
  ipSigningTime: number;
  ipNodeIdSig: string;
  ipBlsSig: string;
  trackedSubnets: string[];
  client: { name: string; major: number; minor: number; patch: number };
  supportedAcps: number[] | null;
  objectedAcps: number[] | null;
  knownPeers: { filter: string; salt: string };
  allSubnets: boolean;
  filter: string;
  salt: string;
  claimedIpPorts: ClaimFields[];
  chainId: string;
  requestId: number;
  deadline: string;
  appBytes: string;
  errorCode: number;
  errorMessage: string;
}

interface Vectors {
  plain: { name: string; bytes: string; framed: string; fields: Fields }[];
  zstd: {
    name: string;
    bytes: string;
    framed?: string;
    inner?: string;
    innerLen?: number;
    innerSha256?: string;
  }[];
}

const vectors = loadVectors<Vectors>('p2p_messages');

/** The vectors write bytes as hex and 64-bit numbers as strings. */
const builders: Record<string, (fields: Fields) => P2pMessageInit> = {
  ping: ({ uptime }) => ({ case: 'ping', value: { uptime } }),
  pong: () => ({ case: 'pong', value: {} }),
  handshake: (f) => ({
    case: 'handshake',
    value: {
      networkId: f.networkId,
      myTime: BigInt(f.myTime),
      ipAddr: fromHex(f.ipAddr),
      ipPort: f.ipPort,
      upgradeTime: BigInt(f.upgradeTime),
      ipSigningTime: BigInt(f.ipSigningTime),
      ipNodeIdSig: fromHex(f.ipNodeIdSig),
      trackedSubnets: f.trackedSubnets.map(fromHex),
      client: f.client,
      supportedAcps: f.supportedAcps ?? [],
      objectedAcps: f.objectedAcps ?? [],
      knownPeers: { filter: fromHex(f.knownPeers.filter), salt: fromHex(f.knownPeers.salt) },
      ipBlsSig: fromHex(f.ipBlsSig),
      allSubnets: f.allSubnets,
    },
  }),
  get_peer_list: (f) => ({
    case: 'getPeerList',
    value: { knownPeers: { filter: fromHex(f.filter), salt: fromHex(f.salt) }, allSubnets: f.allSubnets },
  }),
  peer_list: ({ claimedIpPorts }) => ({
    case: 'peerList',
    value: {
      claimedIpPorts: claimedIpPorts.map((f) => ({
        x509Certificate: fromHex(f.x509Certificate),
        ipAddr: fromHex(f.ipAddr),
        ipPort: f.ipPort,
        timestamp: BigInt(f.timestamp),
        signature: fromHex(f.signature),
        txId: fromHex(f.txId),
      })),
    },
  }),
  app_request: (f) => ({
    case: 'appRequest',
    value: {
      chainId: fromHex(f.chainId),
      requestId: f.requestId,
      deadline: BigInt(f.deadline),
      appBytes: fromHex(f.appBytes),
    },
  }),
  app_response: (f) => ({
    case: 'appResponse',
    value: { chainId: fromHex(f.chainId), requestId: f.requestId, appBytes: fromHex(f.appBytes) },
  }),
  app_error: (f) => ({
    case: 'appError',
    value: {
      chainId: fromHex(f.chainId),
      requestId: f.requestId,
      errorCode: f.errorCode,
      errorMessage: f.errorMessage,
    },
  }),
};

function build(name: string, fields: Fields): P2pMessageInit {
  const kind = Object.keys(builders).find((key) => name.startsWith(key));
  return builders[kind ?? '']!(fields);
}

function encodeDecoded(message: P2pMessage): string {
  if (message.case === 'unknown') throw new Error('unknown message');
  return toHex(encodeMessage(message));
}

const expectCode = (bytes: Uint8Array, code: string): void =>
  expect(() => decodeMessage(bytes)).toThrow(expect.objectContaining({ code }));

describe('p2p messages', () => {
  it.each(vectors.plain)('writes and reads $name', ({ name, bytes, framed, fields }) => {
    const encoded = encodeMessage(build(name, fields));
    expect(toHex(encoded)).toBe(bytes);
    expect(toHex(packFrame(encoded))).toBe(framed);
    expect(encodeDecoded(decodeMessage(fromHex(bytes)))).toBe(bytes);
  });

  it.each(vectors.zstd)('reads compressed $name', ({ bytes, framed, inner, innerLen, innerSha256 }) => {
    const frame = framed === undefined ? packFrame(fromHex(bytes)) : fromHex(framed);
    const [message] = new FrameReader().push(frame);
    expect(toHex(message!)).toBe(bytes);
    const decoded = encodeDecoded(decodeMessage(message!));
    if (inner !== undefined) expect(decoded).toBe(inner);
    if (innerLen !== undefined) expect(decoded).toHaveLength(2 * innerLen);
    if (innerSha256 !== undefined) {
      expect(createHash('sha256').update(fromHex(decoded)).digest('hex')).toBe(innerSha256);
    }
  });

  it('wraps messages like a node does', () => {
    const message = { case: 'peerList', value: {} } as const;
    const wrapped = encodeCompressedMessage(message);
    expect(wrapped[0]).toBe(0x12);
    expect(encodeDecoded(decodeMessage(wrapped))).toBe(toHex(encodeMessage(message)));
  });

  it('names the kinds that only nodes need without reading them', () => {
    // 15..29 and 36 are state sync, consensus and simplex; 33 is retired.
    expect(decodeMessage(fromHex('7a020801'))).toEqual({ case: 'unknown', fieldNumber: 15 });
    expect(decodeMessage(fromHex('a20200'))).toEqual({ case: 'unknown', fieldNumber: 36 });
    expect(decodeMessage(packWrapped(fromHex('a20200')))).toEqual({ case: 'unknown', fieldNumber: 36 });
  });

  it.each([
    ['nothing', ''],
    ['a kind that is a number', '5864'],
    ['two kinds in one', '62006200'],
    ['a field cut off', '5a0208'],
    ['a length beyond the end', '5a0564'],
    ['an unfinished tag', 'ff'],
    ['field zero', '0200'],
    ['a group', '0b0c'],
    ['a handshake that is no protobuf', '6a0108'],
  ])('refuses %s', (_, hex) => expectCode(fromHex(hex), 'MALFORMED_MESSAGE'));

  it('refuses compression within compression', () => {
    const pong = encodeMessage({ case: 'pong', value: {} });
    expectCode(packWrapped(packWrapped(pong)), 'NESTED_COMPRESSION');
  });

  it('refuses what is not zstd', () => {
    expectCode(fromHex('1203010203'), 'INVALID_COMPRESSION');
    expectCode(fromHex('1200'), 'INVALID_COMPRESSION');
  });

  it('refuses kinds that would become a heap of objects', () => {
    const entries = new Uint8Array(256 * 1024).map((_, i) => (i % 2 === 0 ? 0x0a : 0));
    const peerList = Buffer.concat([fromHex('72808010'), entries]);
    expectCode(peerList, 'MESSAGE_TOO_LARGE');
    expectCode(packWrapped(peerList), 'MESSAGE_TOO_LARGE');
  });

  it.each([
    ['ancestors', 'c201', 'MESSAGE_TOO_LARGE', '1a00'],
    ['containers', 'd201', 'MESSAGE_TOO_LARGE', '1a00'],
    ['answers', 'fa01', 'MESSAGE_TOO_LARGE', '0a00'],
    ['answers with what nobody knows', 'fa01', 'MESSAGE_TOO_LARGE', '7800'],
    ['refusals', '9202', 'MESSAGE_TOO_LARGE', '1800'],
    ['answers with groups', 'fa01', 'MALFORMED_MESSAGE', '0b0c'],
  ])('refuses %s of a million fields without a look at all of them', (_, tag, code, fields) => {
    expectFewSteps(`${tag}f0ff7f${fields.repeat(0x1ffff0 / 2)}`, code);
  });

  it.each([
    ['pings', '5a'],
    ['what was accepted', 'b201'],
    ['chits', 'ea01'],
  ])('refuses %s of hundreds of fields likewise', (_, tag) => {
    expectFewSteps(`${tag}e807${'0800'.repeat(500)}`, 'MESSAGE_TOO_LARGE');
  });

  const expectFewSteps = (hex: string, code: string): void => {
    const skip = jest.spyOn(BinaryReader.prototype, 'skip');
    expectCode(fromHex(hex), code);
    expect(skip.mock.calls.length).toBeLessThan(2_100);
    skip.mockRestore();
  };

  it('refuses an expansion beyond the limit of a message', () => {
    const bomb = packWrapped(new Uint8Array(MAX_MESSAGE_BYTES + 1));
    expectCode(bomb, 'MESSAGE_TOO_LARGE');
  });

  it('answers any bytes with a message or its own error', () => {
    const anyBytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.uint8Array({ maxLength: 200 }).map(packWrapped),
      fc.constantFrom(...vectors.plain, ...vectors.zstd).chain(({ bytes }) => mutated(fromHex(bytes))),
    );
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        try {
          decodeMessage(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(P2pError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

function packWrapped(content: Uint8Array): Uint8Array {
  const body = packStoredZstd(content);
  const length: number[] = [];
  for (let rest = body.length; length.length === 0 || rest > 0; rest >>>= 7) {
    length.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
  }
  return Buffer.concat([Uint8Array.of(0x12, ...length), body]);
}

/** The bytes with a few of them replaced. */
function mutated(bytes: Uint8Array): fc.Arbitrary<Uint8Array> {
  return fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }).map((changes) => {
    const copy = Uint8Array.from(bytes);
    changes.forEach(([place, value]) => (copy[place % copy.length] = value));
    return copy;
  });
}
