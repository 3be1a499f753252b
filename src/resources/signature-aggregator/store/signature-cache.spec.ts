import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { bls } from '../../../avalanche/bls/bls.js';
import { makeCanonicalValidatorSet } from '../../../avalanche/warp/canonical-validator-set.js';
import { dataSourceOptions } from '../../../platform/database/data-source.js';
import { Database } from '../../../platform/database/database.js';
import { SignatureCache } from './signature-cache.js';
import { SignatureRepository } from './signature.repository.js';
import { AggregatedSignature, ValidatorSignature } from './signature.entities.js';

const TEN_MINUTES_MS = 600_000;

describe(SignatureCache.name, () => {
  const secretKey = bls.secretKeyFromBytes(new Uint8Array(32).fill(1));
  const publicKey = bls.publicKeyOf(secretKey);
  const set = makeCanonicalValidatorSet([
    { nodeId: 'NodeID-1', publicKey: publicKey.toCompressed(), weight: 1n },
  ]);
  let cache: SignatureCache;

  beforeEach(() => {
    jest.useFakeTimers();
    const neverAsked = new DataSource(dataSourceOptions({ url: 'postgres://nowhere', poolSize: 1 }));
    const repository = new SignatureRepository(
      neverAsked.getRepository(AggregatedSignature),
      neverAsked.getRepository(ValidatorSignature),
      new Database(neverAsked),
    );
    cache = new SignatureCache(repository);
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  const messageId = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);

  const remember = (id: Uint8Array): void =>
    cache.remember(id, [{ index: 0, publicKey, signature: bls.sign(id, secretKey) }]);

  const known = async (id: Uint8Array): Promise<number> =>
    (await cache.open(id, set, { isResumed: false })).known.size;

  it('knows the signatures of a message that was asked for a while ago', async () => {
    remember(messageId(1));
    jest.advanceTimersByTime(TEN_MINUTES_MS - 1);
    remember(messageId(2));
    expect(await Promise.all([1, 2].map((byte) => known(messageId(byte))))).toEqual([1, 1]);
  });

  it('forgets them after ten minutes, when the next message comes', async () => {
    remember(messageId(1));
    jest.advanceTimersByTime(TEN_MINUTES_MS);
    remember(messageId(2));
    expect(await Promise.all([1, 2].map((byte) => known(messageId(byte))))).toEqual([0, 1]);
  });
});
