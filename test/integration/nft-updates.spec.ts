import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { encodeAbiParameters, numberToHex } from 'viem/utils';
import type { Address, Hash, Hex } from '../../src/avalanche/evm/rpc/hex-values.js';
import { addressFor, hashFor } from '../../sandbox/generated/evm-block.js';
import { Database } from '../../src/platform/database/database.js';
import type { WatchedLog } from '../../src/indexes/evm/projections/watched-log.js';
import type { NftKey } from '../../src/resources/nft-tokens/nft-token.js';
import { NftUpdates } from '../../src/resources/nft-tokens/index/nft-updates.projection.js';
import { TEST_CHAIN } from '../support/evm/evm-index.js';
import { openNftStore } from '../support/evm/nft-store.js';
import { createMigratedDatabase } from '../support/harness/database.js';

const COLLECTION = addressFor(1);
const OTHER = addressFor(2);
const MAX = 2n ** 256n - 1n;
const KNOWN: readonly NftKey[] = [0n, 7n, 8n, MAX].flatMap((tokenId) =>
  [COLLECTION, OTHER].map((address) => ({ ...TEST_CHAIN, address, tokenId })),
);

const METADATA_UPDATE: Hash = '0xf8e1a15aba9398e019f0b49df1a4fde98ee17ae345cb5f6b5e2c27f5033e8ce7';
const BATCH_UPDATE: Hash = '0x6bd5c950a8d8df17f772f5af37cb3655737899cbf903264b9795592da439661c';
const URI: Hash = '0x6bb7ff708619ba0610cba295a58592e0451dee2622938c8755667688daf3529b';

const word = (value: bigint): Hex => numberToHex(value, { size: 32 });
const words = (...values: bigint[]): Hex =>
  encodeAbiParameters(
    values.map(() => ({ type: 'uint256' })),
    values,
  );

function log(height: number, topics: readonly Hash[], data: Hex, address: Address = COLLECTION): WatchedLog {
  const place = { height: BigInt(height), logIndex: height, txIndex: 0, blockTime: 0, fee: 0n };
  return { ...place, txHash: hashFor(height), address, topics, data };
}

describe(NftUpdates.name, () => {
  let dataSource: DataSource;
  let database: Database;
  const updates = new NftUpdates();

  beforeAll(async () => {
    dataSource = await createMigratedDatabase();
    database = new Database(dataSource);
  });

  beforeEach(async () => {
    await dataSource.query('TRUNCATE nft_tokens');
    for (const key of KNOWN) {
      const token = { ercType: 'ERC-721', name: null, symbol: null, owner: COLLECTION, height: 5n } as const;
      await openNftStore(dataSource).saveReading(key, { ...token, uri: { status: 'missing' } }, 0);
    }
  });

  const apply = (logs: readonly WatchedLog[]): Promise<void> =>
    database.transaction((transaction) => updates.apply(transaction, TEST_CHAIN, logs));

  /** Reported changes, by collection and token. */
  const heights = async (): Promise<Record<string, number>> => {
    const rows = await dataSource.query<{ address: Buffer; token_id: string; updated_height: string }[]>(
      'SELECT address, token_id, updated_height FROM nft_tokens WHERE updated_height >= 0 ORDER BY 1, 2',
    );
    return Object.fromEntries(
      rows.map(({ address, token_id, updated_height }) => [
        `${COLLECTION.endsWith(address.toString('hex')) ? 'collection' : 'other'} ${token_id}`,
        Number(updated_height),
      ]),
    );
  };

  it.each<[string, WatchedLog, Record<string, number>]>([
    ['one token', log(9, [METADATA_UPDATE], words(7n)), { 'collection 7': 9 }],
    [
      'one token, as its contract indexes it',
      log(9, [METADATA_UPDATE, word(7n)], '0x'),
      { 'collection 7': 9 },
    ],
    ['some tokens', log(9, [BATCH_UPDATE], words(1n, 8n)), { 'collection 7': 9, 'collection 8': 9 }],
    ['a token of ERC-1155', log(9, [URI, word(8n)], words(32n, 1n, 7n << 248n)), { 'collection 8': 9 }],
    ['a token that nobody knows', log(9, [METADATA_UPDATE], words(6n)), {}],
    ['a batch from back to front', log(9, [BATCH_UPDATE], words(8n, 1n)), {}],
    ['too little', log(9, [METADATA_UPDATE], '0x07'), {}],
    ['half of a batch', log(9, [BATCH_UPDATE], words(7n)), {}],
    ['a URI without its token', log(9, [URI], words(7n)), {}],
    ['nothing', log(9, [], '0x'), {}],
  ])('marks the known tokens of a log that names %s', async (_, printed, expected) => {
    await apply([printed]);
    expect(await heights()).toEqual(expected);
  });

  it('marks all tokens of a collection, up to the largest', async () => {
    await apply([log(9, [BATCH_UPDATE], words(0n, MAX))]);
    expect(await heights()).toEqual({
      'collection 0': 9,
      'collection 7': 9,
      'collection 8': 9,
      [`collection ${MAX}`]: 9,
    });
  });

  it('comes to the same in any order, and however often each log comes', async () => {
    const logs = [
      log(9, [METADATA_UPDATE], words(7n)),
      log(12, [BATCH_UPDATE], words(0n, 7n)),
      log(10, [METADATA_UPDATE], words(8n)),
      log(11, [BATCH_UPDATE], words(8n, 8n)),
      log(30, [URI, word(7n)], '0x', OTHER),
    ];
    const expected = { 'collection 0': 12, 'collection 7': 12, 'collection 8': 11, 'other 7': 30 };
    await apply(logs);
    expect(await heights()).toEqual(expected);
    await database.transaction((transaction) => updates.clear(transaction, TEST_CHAIN));
    expect(await heights()).toEqual({});
    for (const each of [...logs, ...logs].reverse()) await apply([each]);
    expect(await heights()).toEqual(expected);
  });
});
