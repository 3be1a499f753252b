import { describe, expect, it } from '@jest/globals';
import type { NftToken } from '../../avalanche/evm/nft/nft-reader.js';
import {
  findingOf,
  isIndexDue,
  isNoToken,
  isReadDue,
  isUnindexed,
  type NftRow,
  statusOf,
} from './nft-token.js';
import { toReading } from './nft-token.repository.js';

const TOKEN: NftToken = {
  ercType: 'ERC-721',
  name: null,
  symbol: null,
  owner: `0x${'ab'.repeat(20)}`,
  uri: { status: 'said', uri: 'x' },
  height: 1n,
};

/** Read at block 100 and second 1,000, and indexed then. */
const ROW: NftRow = {
  erc_type: 'ERC-721',
  name: null,
  symbol: null,
  owner: null,
  token_uri: 'x',
  finding: null,
  read_height: '100',
  read_at: '1000',
  index_status: 'indexed',
  metadata: {},
  index_height: '100',
  indexed_at: '1000',
  index_again_at: '5000',
  failures: 0,
  moved_height: '-1',
  updated_height: '-1',
};
const UNINDEXED = { ...ROW, index_status: null, index_height: null, indexed_at: null, index_again_at: null };

describe('an NFT on record', () => {
  it.each<[string, Partial<NftToken>, ReturnType<typeof findingOf>, boolean]>([
    ['owner and URI', {}, null, false],
    ['a URI and no owner', { owner: null }, 'missing_token', false],
    ['neither', { owner: null, uri: { status: 'unsaid' } }, 'missing_token', true],
    ['an owner and no URI', { uri: { status: 'unsaid' } }, 'invalid_token_uri', false],
    ['an unreadable URI', { uri: { status: 'unreadable' } }, 'invalid_token_uri', false],
    ['too long a URI', { uri: { status: 'tooLarge' } }, 'metadata_content_too_large', false],
  ])('is shown as the interface wants it: ERC-721 with %s', (_, token, finding, isMissing) => {
    expect(findingOf({ ...TOKEN, ...token })).toBe(finding);
    expect(isNoToken(toReading({ ...TOKEN, ...token }))).toBe(isMissing);
  });

  it.each<[string, NftToken['uri'], ReturnType<typeof findingOf>]>([
    ['a URI', { status: 'said', uri: 'x' }, null],
    ['none', { status: 'unsaid' }, 'missing_token'],
    ['an unreadable one', { status: 'unreadable' }, 'invalid_token_uri'],
  ])('is shown as the interface wants it: ERC-1155 with %s', (_, uri, finding) => {
    const token = { ...TOKEN, ercType: 'ERC-1155', owner: null, uri } as const;
    expect(findingOf(token)).toBe(finding);
    expect(isNoToken(toReading(token))).toBe(false);
  });

  it('shows what the contract has told before what was fetched earlier', () => {
    expect(statusOf(ROW)).toBe('indexed');
    expect(statusOf({ ...ROW, finding: 'missing_token' })).toBe('missing_token');
    expect(statusOf(UNINDEXED)).toBe('unindexed');
    expect(
      [ROW, UNINDEXED, { ...UNINDEXED, finding: 'invalid_token_uri' as const }].map(isUnindexed),
    ).toEqual([false, true, false]);
  });

  it.each<[string, Partial<NftRow>, number, boolean, boolean]>([
    ['is left alone while it is recent', {}, 1_059, false, false],
    ['has its contract asked again with age', {}, 1_060, true, false],
    ['is fetched again when that is due', {}, 5_000, true, true],
    ['has its contract asked again after a move', { moved_height: '101' }, 1_001, true, false],
    ['is not bothered by a move before', { moved_height: '100' }, 1_001, false, false],
    ['is asked for and fetched after an update', { updated_height: '101' }, 1_001, true, true],
    [
      'is fetched after an update that was read already',
      { updated_height: '101', read_height: '101' },
      1_001,
      false,
      true,
    ],
    ['is fetched the first time', UNINDEXED, 1_001, false, true],
    [
      'has nothing to be fetched',
      { finding: 'invalid_token_uri', updated_height: '101' },
      9_000,
      true,
      false,
    ],
  ])('%s', (_, row, now, isRead, isIndexed) => {
    const current = { ...ROW, ...row };
    expect([isReadDue(current, { now, maxAgeSeconds: 60 }), isIndexDue(current, now)]).toEqual([
      isRead,
      isIndexed,
    ]);
  });
});
