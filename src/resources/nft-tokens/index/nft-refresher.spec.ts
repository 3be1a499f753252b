import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { NftKey, NftRow } from '../nft-token.js';
import type { NftIndexer } from './nft-indexer.js';
import { NftRefresher } from './nft-refresher.js';

const KNOWN = { readAt: 1 } as NftRow;
const NEW = { readAt: 2 } as NftRow;

const keyOf = (tokenId: number): NftKey => ({
  network: 'fuji',
  chainId: 43113n,
  address: `0x${'7a'.repeat(20)}`,
  tokenId: BigInt(tokenId),
});

/** Of contracts that answer when the test lets them. */
class SlowIndexer implements Pick<NftIndexer, 'read'> {
  reads = 0;
  answer: (row: NftRow | undefined) => void = () => undefined;
  private readonly answered = new Promise<NftRow | undefined>((resolve) => (this.answer = resolve));

  read(_key: NftKey, signal: AbortSignal): Promise<NftRow | undefined> {
    this.reads += 1;
    return Promise.race([
      this.answered,
      once(signal, 'abort').then(() => {
        throw signal.reason;
      }),
    ]);
  }
}

describe(NftRefresher.name, () => {
  const start = (maxWaitMs = 30_000) => {
    const indexer = new SlowIndexer();
    const refresher = new NftRefresher(indexer as unknown as NftIndexer);
    refresher.maxWaitMs = maxWaitMs;
    return { indexer, refresher };
  };

  it('shows what is known when the contract has not answered in time', async () => {
    const { refresher } = start(1);
    expect(await refresher.refresh(keyOf(1), KNOWN)).toBe(KNOWN);
  });

  it('asks once for a token, also for several callers, and again afterwards', async () => {
    const { indexer, refresher } = start();
    const answers = [1, 1, 1].map((tokenId) => refresher.refresh(keyOf(tokenId), KNOWN));
    indexer.answer(NEW);
    expect(await Promise.all(answers)).toEqual([NEW, NEW, NEW]);
    expect(indexer.reads).toBe(1);
    await refresher.refresh(keyOf(1), KNOWN);
    expect(indexer.reads).toBe(2);
  });

  it('reports that there is no such contract any more', async () => {
    const { indexer, refresher } = start();
    indexer.answer(undefined);
    expect(await refresher.refresh(keyOf(1), KNOWN)).toBeUndefined();
  });

  it('lets nobody wait when it asks for many tokens already', async () => {
    const { indexer, refresher } = start();
    const waiting = Array.from({ length: 16 }, (_, tokenId) => refresher.refresh(keyOf(tokenId), KNOWN));
    expect(await refresher.refresh(keyOf(16), KNOWN)).toBe(KNOWN);
    expect(indexer.reads).toBe(16);
    indexer.answer(NEW);
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => NEW));
    expect(await refresher.refresh(keyOf(16), KNOWN)).toBe(NEW);
  });
});
