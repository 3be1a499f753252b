import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { EvmClient } from '../../../avalanche/evm/rpc/evm-client.js';
import type { Unanswered } from '../../../avalanche/evm/rpc/contract-call.js';
import type { Address } from '../../../avalanche/evm/rpc/hex-values.js';
import { addressFor } from '../../../../sandbox/generated/evm-block.js';
import type { TokenMetadata } from '../../../avalanche/evm/transfers/token-metadata.js';
import { TokenReader } from './token-reader.js';

const CHAIN = { network: 'fuji', chainId: 43113n } as const;
const [LIMITED, REVERTING] = [addressFor(1), addressFor(2)];
const UNANSWERED: Unanswered = { status: 'unanswered', reason: 'too many requests' };

const never = new AbortController().signal;

const silent = (contract: Address): TokenMetadata => ({
  contract,
  name: null,
  symbol: null,
  decimals: null,
});

const named = (contract: Address): TokenMetadata => ({ ...silent(contract), name: 'Coin', decimals: 6 });

const blockWith = (contracts: readonly Address[]) => ({
  movements: contracts.map((contract) => ({ kind: 'ERC20' as const, contract })),
});

/** Contracts that revert, but for those that the node does not get to. */
function clientThatLimits(limited: readonly Address[]) {
  const tryContracts = jest.fn<EvmClient['tryContracts']>(async ({ calls }) =>
    calls.map(({ to }) =>
      limited.includes(to) ? UNANSWERED : { status: 'failed', reason: 'execution reverted' },
    ),
  );
  return { tryContracts };
}

const silentClient = () => ({
  tryContracts: jest.fn<EvmClient['tryContracts']>(
    ({ signal }) =>
      new Promise((_, reject) => {
        const giveUp = (): void => reject(new Error('aborted'));
        if (signal?.aborted === true) giveUp();
        else signal?.addEventListener('abort', giveUp);
      }),
  ),
});

function readerOf({ known = [], stale = [] }: { known?: Address[]; stale?: TokenMetadata[] } = {}) {
  const records = {
    findKnownTokens: jest.fn(async () => known),
    findStaleTokens: jest.fn(async (_: unknown, limit: number) => stale.slice(0, limit)),
  };
  return { reader: new TokenReader(records, CHAIN), records };
}

describe(TokenReader.name, () => {
  it('distinguishes a token that reports nothing from one that could not be asked', async () => {
    const tokens = await readerOf().reader.readNew(
      clientThatLimits([LIMITED]),
      [blockWith([LIMITED, REVERTING])],
      never,
    );
    expect(tokens).toEqual([{ ...silent(LIMITED), failure: 'too many requests' }, silent(REVERTING)]);
  });

  it('asks each contract once, and none that is on record', async () => {
    const { reader, records } = readerOf({ known: [LIMITED] });
    const client = clientThatLimits([]);
    const blocks = [blockWith([LIMITED, REVERTING, REVERTING])];
    expect(await reader.readNew(client, blocks, never)).toEqual([silent(REVERTING)]);
    expect(await reader.readNew(client, blocks, never)).toEqual([]);
    expect(records.findKnownTokens).toHaveBeenCalledTimes(1);
    reader.forget();
    await reader.readNew(client, blocks, never);
    expect(client.tryContracts).toHaveBeenCalledTimes(2);
  });

  describe('with a clock', () => {
    beforeEach(() => {
      jest.useFakeTimers();
      // Of Node itself, and beyond the reach of fake timers.
      jest.spyOn(AbortSignal, 'timeout').mockImplementation((delayMs) => {
        const controller = new AbortController();
        setTimeout(() => controller.abort(new Error('too late')), delayMs);
        return controller.signal;
      });
    });

    afterEach(() => {
      jest.useRealTimers();
      jest.restoreAllMocks();
    });

    it('does not wait for a silent node, however many tokens there are', async () => {
      const contracts = Array.from({ length: 250 }, (_, index) => addressFor(index));
      const reading = readerOf().reader.readNew(silentClient(), [blockWith(contracts)], never);
      await jest.advanceTimersByTimeAsync(15_000);
      const tokens = await reading;
      expect(tokens).toHaveLength(250);
      for (const { failure } of tokens) expect(failure).toMatch(/no answer within/);
    });

    it('keeps the earlier metadata of a token that cannot be asked again', async () => {
      const { reader } = readerOf({ stale: [named(LIMITED), named(REVERTING)] });
      expect(await reader.readStale(clientThatLimits([LIMITED]), never, 10)).toEqual([
        { ...named(LIMITED), failure: 'too many requests' },
        silent(REVERTING),
      ]);
    });

    it('asks again at once while there are more, and rests when there are not', async () => {
      const { reader, records } = readerOf({ stale: [named(LIMITED), named(REVERTING)] });
      const client = clientThatLimits([]);
      expect(await reader.readStale(client, never, 1)).toHaveLength(1);
      expect(await reader.readStale(client, never, 10)).toHaveLength(2);
      expect(await reader.readStale(client, never, 10)).toEqual([]);
      expect(records.findStaleTokens).toHaveBeenCalledTimes(2);
      await jest.advanceTimersByTimeAsync(60_000);
      expect(await reader.readStale(client, never, 10)).toHaveLength(2);
    });

    it('rests twice as long after each time in a row that nobody could be asked', async () => {
      const { reader, records } = readerOf({ stale: [silent(LIMITED)] });
      const client = clientThatLimits([LIMITED]);
      const rests: number[] = [];
      for (let round = 0; round < 3; round += 1) {
        const start = Date.now();
        records.findStaleTokens.mockClear();
        while (records.findStaleTokens.mock.calls.length === 0) {
          await jest.advanceTimersByTimeAsync(10_000);
          await reader.readStale(client, never, 1);
        }
        rests.push(Date.now() - start);
      }
      expect(rests).toEqual([10_000, 60_000, 120_000]);
    });
  });

  it('stops with the reason when the caller gives up', async () => {
    const controller = new AbortController();
    const reading = readerOf().reader.readNew(silentClient(), [blockWith([LIMITED])], controller.signal);
    setImmediate(() => controller.abort(new Error('enough')));
    await expect(reading).rejects.toThrow('enough');
  });
});
