import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { addressFor } from '../../sandbox/generated/evm-block.js';
import type { Address } from '../../src/avalanche/evm/rpc/hex-values.js';
import type { EvmChainRef } from '../../src/platform/database/chains.js';
import { NftEviction } from '../../src/resources/nft-tokens/nft-eviction.js';
import type { NftTokenRepository } from '../../src/resources/nft-tokens/nft-token.repository.js';
import { openNftStore } from '../support/evm/nft-store.js';
import { createMigratedDatabase } from '../support/harness/database.js';

const MAX_BYTES = 4_000_000;
const CONTRACT_BYTES = MAX_BYTES / 10;
/** Written between two looks. */
const UNSEEN_BYTES = MAX_BYTES / 100;
const CHAINS: readonly EvmChainRef[] = [
  { network: 'fuji', chainId: 43113n },
  { network: 'mainnet', chainId: 43113n },
];
const [CHAIN = { network: 'fuji', chainId: 43113n }] = CHAINS;
const COLLECTION = addressFor(1);
const START = 1_700_000_000;

interface Token {
  readonly chain?: EvmChainRef | undefined;
  readonly address?: Address;
  readonly tokenId: number;
  readonly at?: number;
  readonly uriBytes?: number;
}

describe(NftEviction.name, () => {
  let dataSource: DataSource;
  let store: NftTokenRepository;

  beforeAll(async () => {
    dataSource = await createMigratedDatabase();
  });

  beforeEach(async () => {
    await dataSource.query('TRUNCATE nft_tokens');
    store = openNftStore(dataSource, MAX_BYTES);
  });

  const keyOf = ({ chain = CHAIN, address = COLLECTION, tokenId }: Token) => ({
    ...chain,
    address,
    tokenId: BigInt(tokenId),
  });

  /** The URI is one that cannot be compressed. */
  const save = (token: Token, into = store) => {
    const uri = randomBytes((token.uriBytes ?? 4_000) / 2).toString('hex');
    const nft = { ercType: 'ERC-721', name: null, symbol: null, owner: COLLECTION, height: 5n } as const;
    const at = token.at ?? START + token.tokenId;
    return into.saveReading(keyOf(token), { ...nft, uri: { status: 'given', uri } }, at);
  };

  const isKnown = async (token: Token) => (await store.find(keyOf(token))) !== undefined;

  const takenBytes = async (where = 'true'): Promise<number> => {
    const [row] = await dataSource.query<{ bytes: string }[]>(
      `SELECT coalesce(sum(stored_bytes), 0) AS bytes FROM nft_tokens WHERE ${where}`,
    );
    return Number(row?.bytes);
  };

  /** With its indexes. */
  const sizeOnDisk = async (): Promise<number> => {
    const [row] = await dataSource.query<{ bytes: string }[]>(
      `SELECT pg_total_relation_size('nft_tokens') AS bytes`,
    );
    return Number(row?.bytes);
  };

  /** So many after one another, while room of removed rows is found again as autovacuum does it: after every tenth of the share. */
  const mint = async (count: number, uriBytes: number, check: () => Promise<void>): Promise<void> => {
    const between = Math.floor(CONTRACT_BYTES / 10 / (600 + uriBytes));
    for (let tokenId = 0; tokenId < count; tokenId += 1) {
      await save({ tokenId, uriBytes });
      await check();
      if (tokenId % between === 0) await dataSource.query('VACUUM nft_tokens');
    }
  };

  it('lets a contract grow to its share, and then no further: what was asked for longest ago goes', async () => {
    await mint(600, 4_000, async () => {
      expect(await takenBytes()).toBeLessThanOrEqual(CONTRACT_BYTES + UNSEEN_BYTES);
      expect(await sizeOnDisk()).toBeLessThan(2 * CONTRACT_BYTES);
    });
    expect(await takenBytes()).toBeGreaterThan(CONTRACT_BYTES - UNSEEN_BYTES);
    expect(await isKnown({ tokenId: 599 })).toBe(true);
    expect(await isKnown({ tokenId: 0 })).toBe(false);
  });

  it('counts small tokens as what they take with their indexes', async () => {
    await mint(1_500, 20, async () => {
      expect(await sizeOnDisk()).toBeLessThan(2 * CONTRACT_BYTES);
    });
  });

  it('leaves other contracts what they have, also those of the same address on another network', async () => {
    const others = [{ chain: CHAINS[1] }, { address: addressFor(2) }].map((other) => ({
      ...other,
      tokenId: 1,
      at: START - 1_000,
    }));
    for (const other of others) await save(other);
    for (let tokenId = 0; tokenId < 300; tokenId += 1) await save({ tokenId });
    expect(await Promise.all(others.map(isKnown))).toEqual([true, true]);
    expect(await isKnown({ tokenId: 0 })).toBe(false);
  });

  it('keeps the tokens of all chains together within the limit', async () => {
    for (let tokenId = 0; tokenId < 70; tokenId += 1) {
      for (let contract = 1; contract <= 10; contract += 1) {
        for (const chain of CHAINS) await save({ chain, address: addressFor(contract), tokenId });
      }
    }
    expect(await takenBytes()).toBeLessThanOrEqual(MAX_BYTES + UNSEEN_BYTES);
    expect(await takenBytes()).toBeGreaterThan(MAX_BYTES - UNSEEN_BYTES);
    expect(await isKnown({ tokenId: 0, address: addressFor(1) })).toBe(false);
    expect(await isKnown({ tokenId: 69, address: addressFor(1) })).toBe(true);
  });

  it('holds with several processes that write at the same time', async () => {
    const stores = [store, openNftStore(dataSource, MAX_BYTES), openNftStore(dataSource, MAX_BYTES)];
    const write = async (into: NftTokenRepository, first: number) => {
      for (let tokenId = first; tokenId < 900; tokenId += stores.length) await save({ tokenId }, into);
    };
    await Promise.all(stores.map(write));
    expect(await takenBytes()).toBeLessThanOrEqual(CONTRACT_BYTES + stores.length * UNSEEN_BYTES);
    expect(await takenBytes()).toBeGreaterThan(CONTRACT_BYTES / 2);
  });

  it('makes room with its first write when others have written too much', async () => {
    const generous = openNftStore(dataSource, 10 * MAX_BYTES);
    for (let tokenId = 0; tokenId < 200; tokenId += 1) await save({ tokenId }, generous);
    expect(await takenBytes()).toBeGreaterThan(CONTRACT_BYTES + UNSEEN_BYTES);
    await save({ tokenId: 200 });
    expect(await takenBytes()).toBeLessThanOrEqual(CONTRACT_BYTES);
  });

  it('keeps what somebody has asked for since, and writes that down once an hour', async () => {
    for (let tokenId = 0; tokenId < 80; tokenId += 1) await save({ tokenId });
    const asked = keyOf({ tokenId: 0 });
    await store.noteRequest(asked, START + 3_599);
    expect(await store.find(asked)).toMatchObject({ requestedAt: START });
    await store.noteRequest(asked, START + 3_600);
    await store.noteRequest(asked, START + 3_700);
    expect(await store.find(asked)).toMatchObject({ requestedAt: START + 3_600 });
    for (let tokenId = 80; tokenId < 160; tokenId += 1) await save({ tokenId });
    expect(await isKnown({ tokenId: 0 })).toBe(true);
    expect(await isKnown({ tokenId: 1 })).toBe(false);
  });

  it('does not wait for a row that is being changed', async () => {
    for (let tokenId = 0; tokenId < 80; tokenId += 1) await save({ tokenId });
    const other = dataSource.createQueryRunner();
    try {
      await other.startTransaction();
      await other.query('SELECT FROM nft_tokens WHERE token_id = 0 FOR UPDATE');
      for (let tokenId = 80; tokenId < 160; tokenId += 1) await save({ tokenId });
    } finally {
      await other.rollbackTransaction();
      await other.release();
    }
    expect(await isKnown({ tokenId: 0 })).toBe(true);
    expect(await isKnown({ tokenId: 1 })).toBe(false);
  });

  it('counts the metadata, and no longer that of an earlier URI', async () => {
    const row = await save({ tokenId: 1, uriBytes: 100 });
    const before = await takenBytes();
    const outcome = { status: 'indexed', now: START, againAt: START, failures: 0 } as const;
    if (row === undefined) throw new Error('no row');
    await store.saveOutcome(keyOf({ tokenId: 1 }), row, {
      ...outcome,
      metadata: { name: 'x'.repeat(1_000) },
    });
    expect(await takenBytes()).toBe(before + 1_000 + '{"name":""}'.length);
    await save({ tokenId: 1, uriBytes: 100 });
    expect(await takenBytes()).toBe(before);
  });
});
