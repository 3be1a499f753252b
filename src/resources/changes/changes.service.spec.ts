import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { P_CHAIN } from '../../../test/support/http/fed-p-chain.js';
import { Lifecycle } from '../health/lifecycle.js';
import { ChangesService } from './changes.service.js';
import type { HeightsReading } from './indexed-heights.js';

const READING: HeightsReading = { number: 1, chains: new Map() };
const SUBSCRIPTION = { network: 'fuji', addresses: [], evmAddresses: [], nodeIds: [] } as const;

/** What each step of a stream takes to be read. */
const STEP_MS = 1_000;

describe(ChangesService.name, () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('shows that it lives, and how far it is, while it reads blocks without a change for its caller', async () => {
    const read = async (_chain: unknown, from: bigint) => {
      jest.advanceTimersByTime(STEP_MS);
      return { to: from + 5_000n, hasChanges: false };
    };
    const service = new ChangesService(
      { of: () => [P_CHAIN] } as never,
      { get: async () => READING } as never,
      { read } as never,
      {} as never,
      {} as never,
      {} as never,
      {} as never,
      new Lifecycle(),
    );
    const stream = service.stream(
      { subscription: SUBSCRIPTION, cursor: new Map([['p', { height: 0n }]]) },
      new AbortController().signal,
    );
    expect((await stream.next()).value).toBe('retry: 2000\nid: p:0\n\n');
    expect((await stream.next()).value).toBe(`:\nid: p:75000\n\n`);
  });
});
