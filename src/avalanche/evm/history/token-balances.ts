import { encodeFunctionData, parseAbi } from 'viem/utils';
import { groupBy } from '../../group-by.js';
import type { EvmClient } from '../rpc/evm-client.js';
import type { Address, Hex } from '../rpc/hex-values.js';
import { packQuestions, readAnswers, WORD_LENGTH } from './calls-in-one.js';

/** An account's share of a token. */
export interface TokenHolding {
  readonly account: Address;
  readonly contract: Address;
  /** Of ERC-1155, whose balances are kept by id. */
  readonly tokenId: bigint | null;
}

export interface TokenHoldingAt extends TokenHolding {
  readonly height: bigint;
}

type BalanceCall = { readonly to: Address; readonly data: Hex; readonly height: bigint };
type Balances = (bigint | undefined)[];

const BALANCE_ABI = parseAbi(['function balanceOf(address) view returns (uint256)']);
const BALANCE_BY_ID_ABI = parseAbi(['function balanceOf(address, uint256) view returns (uint256)']);
/**
 * Asked in one call. With all the gas that each may take it stays below what nodes give a call (50 million by default), however much
 * hostile tokens waste.
 */
const MAX_TOGETHER = 150;

/**
 * `balanceOf` after each block, in the order of the places: raw units, of ERC-721 the number of tokens. 0 where the contract has no code
 * yet; undefined where it refuses, answers something else, or the node has no answer. Many of a block are asked for in one call; those
 * that it brings no answer to, by themselves. Rejects only when stopped.
 */
export async function readTokenBalances(
  places: readonly TokenHoldingAt[],
  client: Pick<EvmClient, 'callContractsAt'>,
  signal: AbortSignal,
): Promise<Balances> {
  const calls = places.map(({ contract, height, ...holding }) => ({
    to: contract,
    height,
    data: dataOf(holding),
  }));
  const balances = await askTogether(calls, client, signal);
  const left = calls.filter((_, index) => balances[index] === undefined);
  const others = left.length === 0 ? [] : await client.callContractsAt({ calls: left, signal });
  const next = others.values();
  return balances.map((balance) => balance ?? balanceIn(next.next().value));
}

async function askTogether(
  calls: readonly BalanceCall[],
  client: Pick<EvmClient, 'callContractsAt'>,
  signal: AbortSignal,
): Promise<Balances> {
  const balances: Balances = calls.map(() => undefined);
  const groups = groupsOf(calls);
  if (groups.length === 0) return balances;
  const packed = groups.map(({ height, asked }) => ({
    data: packQuestions(asked.map(({ call }) => call)),
    height,
  }));
  const answers = await client.callContractsAt({ calls: packed, signal });
  for (const [at, { asked }] of groups.entries()) {
    const answer = answers[at];
    const words = answer?.status === 'returned' ? readAnswers(answer.data, asked.length) : [];
    for (const [position, { index }] of asked.entries()) balances[index] = words[position];
  }
  return balances;
}

/** Calls upon the same block, with their places among all; several, or none. */
function groupsOf(calls: readonly BalanceCall[]) {
  const placed = calls.map((call, index) => ({ call, index }));
  return [...groupBy(placed, ({ call }) => call.height)]
    .flatMap(([height, all]) =>
      Array.from({ length: Math.ceil(all.length / MAX_TOGETHER) }, (_, part) => ({
        height,
        asked: all.slice(part * MAX_TOGETHER, (part + 1) * MAX_TOGETHER),
      })),
    )
    .filter(({ asked }) => asked.length > 1);
}

function balanceIn(
  answer: Awaited<ReturnType<EvmClient['callContractsAt']>>[number] | undefined,
): bigint | undefined {
  if (answer?.status !== 'returned') return undefined;
  const { data } = answer;
  if (data === '0x') return 0n;
  return data.length === WORD_LENGTH ? BigInt(data) : undefined;
}

function dataOf({ account, tokenId }: Omit<TokenHolding, 'contract'>): Hex {
  const functionName = 'balanceOf';
  return tokenId === null
    ? encodeFunctionData({ abi: BALANCE_ABI, functionName, args: [account] })
    : encodeFunctionData({ abi: BALANCE_BY_ID_ABI, functionName, args: [account, tokenId] });
}
