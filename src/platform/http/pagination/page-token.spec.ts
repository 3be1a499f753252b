import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { ApiError } from '../errors/api-error.js';
import { packPageToken, type PageScope, unpackPageToken } from './page-token.js';

const key = randomBytes(32);
const scope: PageScope = {
  path: ['fuji', 'validators'],
  query: { sortOrder: 'desc', amount: 5n, nodes: ['a', 'b'] },
};
const keyset = ['18446744073709551615', null, 'ab'.repeat(32)];

const refused = (token: string, of: PageScope = scope, withKey: Uint8Array = key) => {
  const read = () => unpackPageToken([withKey], of, token);
  expect(read).toThrow(ApiError);
  expect(read).toThrow(
    'pageToken: must be the nextPageToken of a page of the same query, sent with the same other parameters',
  );
};

describe('page tokens', () => {
  it('give back the keyset', () => {
    expect(unpackPageToken([key], scope, packPageToken(key, scope, keyset))).toEqual(keyset);
  });

  it('do not depend on the order of the parameters, nor on left out ones', () => {
    const same = { ...scope, query: { nodes: ['a', 'b'], amount: 5n, other: undefined, sortOrder: 'desc' } };
    expect(unpackPageToken([key], same, packPageToken(key, scope, keyset))).toEqual(keyset);
  });

  it.each<[string, PageScope]>([
    ['another path', { ...scope, path: ['mainnet', 'validators'] }],
    ['another parameter', { ...scope, query: { ...scope.query, sortOrder: 'asc' } }],
    ['one parameter more', { ...scope, query: { ...scope.query, status: 'active' } }],
    ['one parameter less', { ...scope, query: { sortOrder: 'desc', amount: 5n } }],
    ['text in place of a number', { ...scope, query: { ...scope.query, amount: '5' } }],
  ])('are refused for %s', (_name, other) => {
    refused(packPageToken(key, scope, keyset), other);
  });

  it('are good under any of the keys', () => {
    const token = packPageToken(key, scope, keyset);
    expect(unpackPageToken([randomBytes(32), key], scope, token)).toEqual(keyset);
  });

  it('are refused under another key', () =>
    refused(packPageToken(key, scope, keyset), scope, randomBytes(32)));

  it('are refused when any bit is changed', () => {
    const token = packPageToken(key, scope, keyset);
    const bytes = Buffer.from(token, 'base64url');
    fc.assert(
      fc.property(fc.nat({ max: bytes.length * 8 - 1 }), (bit) => {
        const altered = Buffer.from(bytes);
        altered.writeUInt8(altered.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        refused(altered.toString('base64url'));
      }),
    );
  });

  it.each([
    '',
    'x',
    'null',
    '=',
    '!!!!',
    'ä',
    'A'.repeat(43),
    'A'.repeat(600),
    'A'.repeat(100_000),
    Buffer.from(JSON.stringify(keyset)).toString('base64url'),
  ])('are refused when they read %.20s', (token) => refused(token));

  it('are refused with anything in front, behind or in between', () => {
    const token = packPageToken(key, scope, keyset);
    for (const text of [
      `${token}A`,
      `A${token}`,
      ` ${token}`,
      `${token}=`,
      token.slice(0, -1),
      token.slice(1),
    ]) {
      refused(text);
    }
  });

  it('are refused with a 400 whatever else they are', () => {
    fc.assert(fc.property(fc.string(), (token) => refused(token)));
  });
});
