import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { StateQuery } from '../rpc/evm-client.js';
import { findAccountHistories } from './account-history.js';
import { findChanges, findFirstRise, type ReadStates } from './find-changes.js';

const A = '0x00000000000000000000000000000000000000aa';
const B = '0x00000000000000000000000000000000000000bb';
const BLOCKS = 5_000;

/** Signatures of an account in a block, and the sums that it received and spent. */
interface Event {
  readonly height: number;
  readonly signatures: number;
  readonly received: number;
  readonly spent: number;
}

const events = fc
  .uniqueArray(
    fc.record({
      height: fc.integer({ min: 0, max: BLOCKS - 1 }),
      signatures: fc.integer({ min: 0, max: 3 }),
      received: fc.integer({ min: 0, max: 5 }),
      spent: fc.integer({ min: 0, max: 5 }),
    }),
    { selector: ({ height }) => height, maxLength: 60 },
  )
  .map((all): readonly Event[] => all);

/** Of an account with a key: nobody spends without having signed. */
const signedEvents = events.map((all) =>
  all.map((event): Event => (event.signatures === 0 ? { ...event, spent: 0 } : event)),
);

function statesOf(own: readonly Event[]) {
  const states: { nonce: bigint; balance: bigint }[] = [];
  let [nonce, balance] = [0n, 10_000n];
  for (let height = 0; height < BLOCKS; height += 1) {
    for (const event of own.filter((each) => each.height === height)) {
      nonce += BigInt(event.signatures);
      balance += BigInt(event.received - event.spent);
    }
    states.push({ nonce, balance });
  }
  return states;
}

function reader(chains: Readonly<Record<string, ReturnType<typeof statesOf>>>) {
  const asked: StateQuery[] = [];
  const read: ReadStates = (queries) => {
    asked.push(...queries);
    return Promise.resolve(
      queries.map(({ address, field, height }) => chains[address]?.[Number(height)]?.[field] ?? 0n),
    );
  };
  return { asked, read };
}

describe('the history of accounts', () => {
  it('has every block that changed an account which signs what it spends, as a look at every block has', async () => {
    await fc.assert(
      fc.asyncProperty(
        signedEvents,
        signedEvents,
        fc.integer({ min: -1, max: BLOCKS - 2 }),
        fc.integer({ min: 1, max: BLOCKS }),
        async (first, second, from, length) => {
          const chains: Record<string, ReturnType<typeof statesOf>> = {
            [A]: statesOf(first),
            [B]: statesOf(second),
          };
          const to = Math.min(from + length, BLOCKS - 1);
          const { read } = reader(chains);
          const range = { from: BigInt(from), to: BigInt(to) };
          const before = (height: number, states: ReturnType<typeof statesOf>) =>
            states[height - 1] ?? { nonce: 0n, balance: 0n };
          for (const { address, opening, closing, changes } of await findAccountHistories(
            [A, B],
            range,
            read,
          )) {
            const states = chains[address] ?? [];
            expect(opening).toEqual(before(from + 1, states));
            expect(closing).toEqual(states[to]);
            const expected = states.flatMap((after, height) => {
              const change = { height: BigInt(height), before: before(height, states), after };
              const isOther = change.before.nonce !== after.nonce || change.before.balance !== after.balance;
              return height > from && height <= to && isOther ? [change] : [];
            });
            expect(changes).toEqual(expected);
          }
        },
      ),
      { numRuns: 60 },
    );
  }, 60_000);

  it('has the net changes of one that pays without a signature, as contracts do, and no others', async () => {
    await fc.assert(
      fc.asyncProperty(events, async (own) => {
        const states = statesOf(own);
        const { read } = reader({ [A]: states });
        const range = { from: 0n, to: BigInt(BLOCKS - 1) };
        const [history] = await findAccountHistories([A], range, read);
        if (history === undefined) throw new Error('no history');
        const { opening, closing, changes } = history;
        expect([opening, closing]).toEqual([states[0], states[BLOCKS - 1]]);
        let state = opening;
        for (const { height, before, after } of changes) {
          expect(before).toEqual(state);
          expect(after).toEqual(states[Number(height)]);
          expect(after).not.toEqual(states[Number(height) - 1]);
          state = after;
        }
        expect(state).toEqual(closing);
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  it('costs about the changes times the halvings between them', async () => {
    const changes = Array.from({ length: 50 }, (_, i): Event => ({
      height: 37 + 99 * i,
      signatures: i % 2,
      received: 1,
      spent: 0,
    }));
    const { asked, read } = reader({ [A]: statesOf(changes) });
    await findAccountHistories([A], { from: -1n, to: BigInt(BLOCKS - 1) }, read);
    const distinct = new Set(asked.map(({ field, height }) => `${field} ${height}`));
    expect(distinct.size).toBeLessThan(50 * (Math.log2(BLOCKS / 50) + 2.5));
  });

  it('asks the same questions again when it was broken off', async () => {
    const chains = { [A]: statesOf([{ height: 77, signatures: 1, received: 0, spent: 1 }]) };
    const spans = [{ address: A, field: 'nonce', from: 0n, to: 4_000n }] as const;
    const whole = reader(chains);
    await findChanges(spans, whole.read);
    let answers = 3;
    const broken = reader(chains);
    const failing: ReadStates = (queries) => {
      answers -= 1;
      return answers < 0 ? Promise.reject(new Error('gone')) : broken.read(queries);
    };
    await expect(findChanges(spans, failing)).rejects.toThrow('gone');
    expect(whole.asked.slice(0, broken.asked.length)).toEqual(broken.asked);
  });

  it('finds where a nonce first rises', async () => {
    const { read } = reader({ [A]: statesOf([{ height: 1_234, signatures: 1, received: 0, spent: 0 }]) });
    const span = { address: A, field: 'nonce', from: 10n, to: 4_999n } as const;
    expect(await findFirstRise(span, read)).toBe(1_234n);
    expect(await findFirstRise({ ...span, to: 1_233n }, read)).toBeUndefined();
  });
});
