import { describe, expect, it } from '@jest/globals';
import { bech32 } from '@scure/base';
import fc from 'fast-check';
import { field } from '../../../test/support/codec-properties.js';
import { loadVectors } from '../../../test/support/vectors.js';
import { hrpOfNetwork, packAddress, unpackAddress } from './address.js';
import { fromCb58, MAX_CB58_CHARACTERS, toCb58 } from './cb58.js';
import { fromHex, toHex } from './hex.js';
import { IdError } from './id.error.js';
import { EMPTY_ID, idFromString, idToString, PRIMARY_NETWORK_ID } from './id.js';
import { nodeIdFromCertificate, nodeIdFromString, nodeIdToString } from './node-id.js';
import { packRpcHex, unpackRpcHex } from './rpc-hex.js';
import { shortIdFromString, shortIdToString } from './short-id.js';
import { codesOf } from '../../../test/support/code-of.js';

interface IdVectors {
  ids: { cb58: string; hex: string }[];
  invalidIDs: { input: string; error: string }[];
  nodeIDs: { hex: string; string: string }[];
  rpcHexEncodings: { bytes: string; hex: string; hexc: string; hexnc: string }[];
}

const vectors = loadVectors<IdVectors>('ids');
const nodeIdVectors = loadVectors<{
  valid: { kind: string; certDER: string; nodeID: string; nodeIDHex: string }[];
}>('node_ids');

const codeOf = codesOf(IdError);

/** Texts that get past the first check of a parser now and then. */
const hostileText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEFxX') }).map((text) => `0x${text}`),
  fc.string({
    unit: fc.constantFrom(...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'),
    maxLength: 80,
  }),
);

describe('a text in hex', () => {
  it('survives a round trip in either case, with or without 0x', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.constantFrom('', '0x', '0X'), fc.boolean(), (bytes, prefix, upper) => {
        const digits = upper ? toHex(bytes).toUpperCase() : toHex(bytes);
        expect(fromHex(prefix + digits)).toEqual(bytes);
      }),
    );
  });

  it.each(['0', '0x0', 'abc', 'zz', '0x0g', ' 00', '00 ', '0x0x00', '00\n', 'à0', '--'])(
    'refuses %j',
    (text) => {
      expect(codeOf(() => fromHex(text))).toBe('INVALID_HEX');
    },
  );

  it('shows the visible part of a view', () => {
    expect(toHex(Uint8Array.of(1, 2, 3, 4).subarray(1, 3))).toBe('0203');
  });
});

describe('a text in cb58', () => {
  it('survives a round trip', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) =>
        expect(fromCb58(toCb58(bytes))).toEqual(bytes),
      ),
    );
  });

  it('notices any changed character', () => {
    const changes = fc.tuple(field.id, fc.nat(), fc.constantFrom(...'123ABCxyz'));
    fc.assert(
      fc.property(changes, ([id, place, character]) => {
        const text = toCb58(id);
        const at = place % text.length;
        fc.pre(text[at] !== character);
        expect(codeOf(() => fromCb58(text.slice(0, at) + character + text.slice(at + 1)))).not.toBe(
          'accepted',
        );
      }),
    );
  });

  it('refuses long input before it spends quadratic time on it', () => {
    expect(codeOf(() => fromCb58('z'.repeat(MAX_CB58_CHARACTERS + 1)))).toBe('INVALID_CB58');
  });

  it('raises nothing but IdError', () => {
    fc.assert(fc.property(hostileText, (text) => void codeOf(() => fromCb58(text))));
  });
});

describe('an id in cb58', () => {
  it.each(vectors.ids)('is read and written: $cb58', ({ cb58, hex }) => {
    expect(toHex(idFromString(cb58))).toBe(hex);
    expect(idToString(fromHex(hex))).toBe(cb58);
  });

  it.each(vectors.invalidIDs)('is refused for $input ($error)', ({ input }) => {
    expect(codeOf(() => idFromString(input))).not.toBe('accepted');
  });

  it('names the primary network by zeros', () => {
    expect(idToString(EMPTY_ID)).toBe(PRIMARY_NETWORK_ID);
  });

  it('is refused with another length, in both directions', () => {
    expect(codeOf(() => idToString(new Uint8Array(31)))).toBe('INVALID_LENGTH');
    expect(codeOf(() => idFromString(toCb58(new Uint8Array(33))))).toBe('INVALID_LENGTH');
  });

  it('raises nothing but IdError, and has one text for each id', () => {
    fc.assert(fc.property(field.id, (id) => expect(idFromString(idToString(id))).toEqual(id)));
    fc.assert(
      fc.property(hostileText, (text) => {
        codeOf(() => expect(idToString(idFromString(text))).toBe(text));
        codeOf(() => expect(nodeIdToString(nodeIdFromString(`NodeID-${text}`))).toBe(`NodeID-${text}`));
      }),
    );
  });
});

describe('a node id or short id', () => {
  it.each(vectors.nodeIDs)('is read and written: $string', ({ hex, string }) => {
    expect(toHex(nodeIdFromString(string))).toBe(hex);
    expect(nodeIdToString(fromHex(hex))).toBe(string);
    expect(shortIdToString(fromHex(hex))).toBe(string.replace('NodeID-', ''));
    expect(toHex(shortIdFromString(string.replace('NodeID-', '')))).toBe(hex);
  });

  it.each(nodeIdVectors.valid)(
    'is the hash of a certificate ($kind): $nodeID',
    ({ certDER, nodeID, nodeIDHex }) => {
      const nodeId = nodeIdFromCertificate(fromHex(certDER));
      expect(toHex(nodeId)).toBe(nodeIDHex);
      expect(nodeIdToString(nodeId)).toBe(nodeID);
    },
  );

  it.each([
    ['111111111111111111116DBWJs', 'INVALID_PREFIX'],
    ['nodeid-111111111111111111116DBWJs', 'INVALID_PREFIX'],
    ['NodeID-', 'INVALID_CB58'],
    ['NodeID-111111111111111111116DBWJt', 'INVALID_CHECKSUM'],
    [`NodeID-${PRIMARY_NETWORK_ID}`, 'INVALID_LENGTH'],
  ])('is refused for %s', (text, code) => {
    expect(codeOf(() => nodeIdFromString(text))).toBe(code);
  });

  it('is refused with another length', () => {
    expect(codeOf(() => nodeIdToString(new Uint8Array(19)))).toBe('INVALID_LENGTH');
    expect(codeOf(() => shortIdToString(new Uint8Array(32)))).toBe('INVALID_LENGTH');
  });
});

describe('bytes in the form of the RPC', () => {
  it.each(vectors.rpcHexEncodings)('are read and written: $bytes', ({ bytes, hex, hexc, hexnc }) => {
    expect(packRpcHex(fromHex(bytes))).toBe(hex);
    expect(hexc).toBe(hex);
    expect(toHex(unpackRpcHex(hex))).toBe(bytes);
    expect(toHex(fromHex(hexnc))).toBe(bytes);
  });

  it.each([
    ['7852b855', 'INVALID_PREFIX'],
    ['', 'INVALID_PREFIX'],
    ['0x', 'INVALID_CHECKSUM'],
    ['0x010203', 'INVALID_CHECKSUM'],
    ['0x010203011cfb82', 'INVALID_CHECKSUM'],
    ['0x010203011cfb8', 'INVALID_HEX'],
    ['0x0x7852b855', 'INVALID_HEX'],
  ])('are refused for %j', (text, code) => {
    expect(codeOf(() => unpackRpcHex(text))).toBe(code);
  });

  it('survive a round trip and raise nothing but IdError', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => expect(unpackRpcHex(packRpcHex(bytes))).toEqual(bytes)),
    );
    fc.assert(fc.property(hostileText, (text) => void codeOf(() => unpackRpcHex(text))));
  });
});

describe('addresses', () => {
  // The well-known funded key of local networks (avalanchego genesis, ewoq).
  const ewoq = {
    hex: '3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c',
    local: 'local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
  };

  it('are bech32 of 20 bytes, with the alias of a chain or without', () => {
    const bytes = fromHex(ewoq.hex);
    expect(packAddress({ chainAlias: 'P', hrp: 'local', bytes })).toBe(`P-${ewoq.local}`);
    expect(packAddress({ hrp: 'local', bytes })).toBe(ewoq.local);
    expect(unpackAddress(`P-${ewoq.local}`)).toEqual({ chainAlias: 'P', hrp: 'local', bytes });
    expect(unpackAddress(ewoq.local)).toEqual({ hrp: 'local', bytes });
  });

  it.each([
    [1, 'avax'],
    [5, 'fuji'],
    [12345, 'local'],
    [88888, 'custom'],
  ])('begin on network %d with %s', (networkId, hrp) => {
    expect(hrpOfNetwork(networkId)).toBe(hrp);
  });

  it.each([
    '',
    'P-',
    `-${ewoq.local}`,
    ewoq.local.slice(0, -1),
    `P-X-${ewoq.local}`,
    'local1',
    `P-${ewoq.local}x`,
  ])('are refused for %j', (text) => {
    expect(codeOf(() => unpackAddress(text))).toBe('INVALID_ADDRESS');
  });

  it('are refused with another length or a human-readable part that bech32 cannot express', () => {
    const tooLong = bech32.encodeFromBytes('local', new Uint8Array(32));
    expect(codeOf(() => unpackAddress(tooLong))).toBe('INVALID_LENGTH');
    expect(codeOf(() => packAddress({ hrp: 'local', bytes: new Uint8Array(32) }))).toBe('INVALID_LENGTH');
    expect(codeOf(() => packAddress({ hrp: '', bytes: new Uint8Array(20) }))).toBe('INVALID_ADDRESS');
  });

  it('survive a round trip and raise nothing but IdError', () => {
    const alias = fc.constantFrom('P', 'X', 'C');
    const hrp = fc.constantFrom('avax', 'fuji', 'local', 'custom');
    fc.assert(
      fc.property(fc.record({ chainAlias: alias, hrp, bytes: field.nodeId }), (address) => {
        expect(unpackAddress(packAddress(address))).toEqual(address);
      }),
    );
    fc.assert(fc.property(hostileText, (text) => void codeOf(() => unpackAddress(text))));
  });
});
