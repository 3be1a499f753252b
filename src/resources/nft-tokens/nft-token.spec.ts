import { describe, expect, it } from '@jest/globals';
import type { NftToken } from '../../avalanche/evm/nft/nft-reader.js';
import {
  findingOf,
  isIndexDue,
  isNoToken,
  isOwnerOld,
  isReadDue,
  isUnindexed,
  metadataOf,
  type NftRow,
  statusOf,
} from './nft-token.js';
import { toReading } from './nft-token.repository.js';

const TOKEN: NftToken = {
  ercType: 'ERC-721',
  name: null,
  symbol: null,
  owner: `0x${'ab'.repeat(20)}`,
  uri: { status: 'given', uri: 'x' },
  height: 1n,
};

/** Read at block 100 and second 1,000, and indexed then. */
const ROW: NftRow = {
  ercType: 'ERC-721',
  name: null,
  symbol: null,
  owner: null,
  tokenUri: 'x',
  finding: null,
  readHeight: 100n,
  readAt: 1_000,
  indexStatus: 'indexed',
  metadata: {},
  indexHeight: 100n,
  indexedAt: 1_000,
  indexAgainAt: 5_000,
  failures: 0,
  movedHeight: -1n,
  updatedHeight: -1n,
  requestedAt: 1_000,
};
const UNINDEXED = { ...ROW, indexStatus: null, indexHeight: null, indexedAt: null, indexAgainAt: null };

describe('an NFT on record', () => {
  it.each<[string, Partial<NftToken>, ReturnType<typeof findingOf>, boolean]>([
    ['owner and URI', {}, null, false],
    ['a URI and no owner', { owner: null }, 'missing_token', false],
    ['neither', { owner: null, uri: { status: 'missing' } }, 'missing_token', true],
    ['an owner and no URI', { uri: { status: 'missing' } }, 'invalid_token_uri', false],
    ['an unreadable URI', { uri: { status: 'unreadable' } }, 'invalid_token_uri', false],
    ['too long a URI', { uri: { status: 'tooLarge' } }, 'metadata_content_too_large', false],
  ])('is shown as the interface wants it: ERC-721 with %s', (_, token, finding, isMissing) => {
    expect(findingOf({ ...TOKEN, ...token })).toBe(finding);
    expect(isNoToken(toReading({ ...TOKEN, ...token }))).toBe(isMissing);
  });

  it.each<[string, NftToken['uri'], ReturnType<typeof findingOf>]>([
    ['a URI', { status: 'given', uri: 'x' }, null],
    ['none', { status: 'missing' }, 'missing_token'],
    ['an unreadable one', { status: 'unreadable' }, 'invalid_token_uri'],
  ])('is shown as the interface wants it: ERC-1155 with %s', (_, uri, finding) => {
    const token = { ...TOKEN, ercType: 'ERC-1155', owner: null, uri } as const;
    expect(findingOf(token)).toBe(finding);
    expect(isNoToken(toReading(token))).toBe(false);
  });

  it('shows what the contract has reported before what was fetched earlier', () => {
    expect(statusOf(ROW)).toBe('indexed');
    expect(statusOf({ ...ROW, finding: 'missing_token' })).toBe('missing_token');
    expect(statusOf(UNINDEXED)).toBe('unindexed');
    expect(
      [ROW, UNINDEXED, { ...UNINDEXED, finding: 'invalid_token_uri' as const }].map(isUnindexed),
    ).toEqual([false, true, false]);
  });

  it.each<[string, Partial<NftRow>, number, boolean]>([
    ['a recent one', {}, 1_299, false],
    ['one of five minutes', {}, 1_300, true],
    ['one that may be older', {}, 1_300, false],
    ['one before a move', { movedHeight: 101n }, 1_001, true],
    ['one after a move', { movedHeight: 100n }, 1_001, false],
    ['that of an ERC-1155', { ercType: 'ERC-1155', movedHeight: 101n }, 9_000, false],
  ])('has its owner looked for before it is shown, or not: %s', (name, row, now, isOld) => {
    const maxAgeSeconds = name === 'one that may be older' ? 400 : 60;
    expect(isOwnerOld({ ...ROW, ...row }, { now, maxAgeSeconds })).toBe(isOld);
  });

  it('reads the metadata of a data URI from there', () => {
    const row: NftRow = { ...ROW, tokenUri: 'data:,{"name":"{id}"}', metadata: null };
    expect(metadataOf(row, 10n)).toEqual({ name: `${'0'.repeat(63)}a` });
    expect(metadataOf({ ...row, ercType: 'ERC-1155' }, 10n)).toEqual({ name: `${'0'.repeat(63)}a` });
    expect(metadataOf({ ...row, metadata: { name: 'kept' } }, 10n)).toEqual({ name: 'kept' });
    for (const none of [
      { indexStatus: null },
      { tokenUri: null },
      { tokenUri: 'data:,[]' },
      { tokenUri: 'x' },
    ]) {
      expect(metadataOf({ ...row, ...none }, 10n)).toEqual({});
    }
  });

  it.each<[string, Partial<NftRow>, number, boolean, boolean]>([
    ['is left alone while it is recent', {}, 1_059, false, false],
    ['has its contract asked again with age', {}, 1_060, true, false],
    ['is fetched again when that is due', {}, 5_000, true, true],
    ['has its contract asked again after a move', { movedHeight: 101n }, 1_001, true, false],
    ['is not bothered by a move before', { movedHeight: 100n }, 1_001, false, false],
    ['is asked for and fetched after an update', { updatedHeight: 101n }, 1_001, true, true],
    [
      'is fetched after an update that was read already',
      { updatedHeight: 101n, readHeight: 101n },
      1_001,
      false,
      true,
    ],
    ['is fetched the first time', UNINDEXED, 1_001, false, true],
    ['has nothing to be fetched', { finding: 'invalid_token_uri', updatedHeight: 101n }, 9_000, true, false],
  ])('%s', (_, row, now, isRead, isIndexed) => {
    const current = { ...ROW, ...row };
    expect([isReadDue(current, { now, maxAgeSeconds: 60 }), isIndexDue(current, now)]).toEqual([
      isRead,
      isIndexed,
    ]);
  });
});
