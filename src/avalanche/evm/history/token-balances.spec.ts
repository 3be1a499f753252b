import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ContractAnswer, Unanswered } from '../rpc/contract-call.js';
import type { EvmClient } from '../rpc/evm-client.js';
import type { Address, Hex } from '../rpc/hex-values.js';
import { packAnswers, packQuestions, readAnswers, unpackQuestions } from './calls-in-one.js';
import { readTokenBalances, type TokenHoldingAt } from './token-balances.js';

type Query = Parameters<EvmClient['callContractsAt']>[0];
type Answer = ContractAnswer | Unanswered;

const ACCOUNT = `0x${'aa'.repeat(20)}` as const;
const FAILED: Answer = { status: 'failed', reason: 'execution reverted' };
const UNANSWERED: Answer = { status: 'unanswered', reason: 'missing trie node' };

const contractOf = (number: number): Address => `0x${number.toString(16).padStart(40, '0')}`;
const wordOf = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`;

/** Of a token, what it answers at a height. */
type Token = (height: bigint) => Answer;

const holds: Token = (height) => ({ status: 'returned', data: wordOf(Number(height)) });
const isNotThere: Token = () => ({ status: 'returned', data: '0x' });
const refuses: Token = () => FAILED;
const talks: Token = () => ({ status: 'returned', data: `0x${'01'.repeat(96)}` });
const isAway: Token = () => UNANSWERED;

/** A chain whose node runs such code, or answers otherwise to it. */
function chainOf(tokens: readonly Token[], together?: (honest: Hex) => Answer) {
  const queries: Query['calls'][] = [];
  const ask = (to: Address, height: bigint): Answer => tokens[Number(to)]?.(height) ?? isNotThere(height);
  const client: Pick<EvmClient, 'callContractsAt'> = {
    callContractsAt: ({ calls }) => {
      queries.push(calls);
      return Promise.resolve(
        calls.map(({ to, data, height }): Answer => {
          if (to !== undefined) return ask(to, height);
          const returned = (unpackQuestions(data) ?? []).map((question) => {
            const answer = ask(question.to, height);
            return answer.status === 'returned' ? answer.data : undefined;
          });
          const honest = packAnswers(returned);
          return together === undefined ? { status: 'returned', data: honest } : together(honest);
        }),
      );
    },
  };
  const read = (places: readonly TokenHoldingAt[]) =>
    readTokenBalances(places, client, new AbortController().signal);
  return { queries, read };
}

const placeOf = (number: number, height: bigint): TokenHoldingAt => ({
  account: ACCOUNT,
  contract: contractOf(number),
  tokenId: number % 2 === 0 ? null : 7n,
  height,
});

describe(readTokenBalances.name, () => {
  it('asks for many of a block in one call, and by themselves for those that it brings no answer to', async () => {
    const tokens = [holds, isNotThere, refuses, talks, isAway, holds];
    const { queries, read } = chainOf(tokens);
    const places = [5n, 9n].flatMap((height) => tokens.map((_, number) => placeOf(number, height)));
    expect(await read(places)).toEqual(
      [5n, 9n].flatMap((height) => [height, 0n, undefined, undefined, undefined, height]),
    );
    const [one = [], each = []] = queries;
    expect(one.map(({ to, height }) => ({ to, height }))).toEqual([{ height: 5n }, { height: 9n }]);
    expect(each.map(({ to, height }) => `${Number(to)} ${height}`)).toEqual([
      '2 5',
      '3 5',
      '4 5',
      '2 9',
      '3 9',
      '4 9',
    ]);
    expect(queries).toHaveLength(2);
  });

  it('asks for no more in one call than its gas is enough for', async () => {
    const { queries, read } = chainOf(Array.from({ length: 400 }, () => holds));
    expect(await read(Array.from({ length: 400 }, (_, number) => placeOf(number, 3n)))).toEqual(
      Array.from({ length: 400 }, () => 3n),
    );
    expect(queries.map((calls) => calls.map(({ data }) => unpackQuestions(data)?.length))).toEqual([
      [150, 150, 100],
    ]);
  });

  it.each<[string, (honest: Hex) => Answer]>([
    ['does not run it', () => FAILED],
    ['is away', () => UNANSWERED],
    ['answers nothing', () => ({ status: 'returned', data: '0x' })],
    ['answers too little', (honest) => ({ status: 'returned', data: `0x${honest.slice(4)}` })],
    ['answers too much', (honest) => ({ status: 'returned', data: `${honest}00` })],
  ])('asks for each by itself when the node %s', async (_title, together) => {
    const { queries, read } = chainOf([holds, isNotThere, refuses], together);
    expect(await read([0, 1, 2].map((number) => placeOf(number, 4n)))).toEqual([4n, 0n, undefined]);
    expect(queries[1]).toHaveLength(3);
  });

  it('asks for one by itself, and for none not at all', async () => {
    const { queries, read } = chainOf([holds]);
    expect(await read([placeOf(0, 4n)])).toEqual([4n]);
    expect(queries).toEqual([[expect.objectContaining({ to: contractOf(0) })]]);
    expect(await read([])).toEqual([]);
    expect(queries).toHaveLength(1);
  });
});

describe('many calls in one', () => {
  const bytes = (length: number) =>
    fc
      .uint8Array({ minLength: length, maxLength: length })
      .map((each): Hex => `0x${Buffer.from(each).toString('hex')}`);

  it('brings every question there, and every answer back', () => {
    const question = fc.record({ to: bytes(20), data: fc.nat({ max: 68 }).chain(bytes) });
    const answer = fc.oneof(fc.constant(undefined), bytes(0), bytes(32));
    fc.assert(
      fc.property(fc.array(question), fc.array(answer), (questions, answers) => {
        expect(unpackQuestions(packQuestions(questions))).toEqual(questions);
        expect(readAnswers(packAnswers(answers), answers.length)).toEqual(
          answers.map((each) => (each === '0x' ? 0n : each && BigInt(each))),
        );
      }),
    );
  });

  it('refuses questions that are too long, and takes no other data for questions', () => {
    expect(() => packQuestions([{ to: ACCOUNT, data: `0x${'00'.repeat(69)}` }])).toThrow(RangeError);
    expect(unpackQuestions('0x6001')).toBeUndefined();
  });
});
