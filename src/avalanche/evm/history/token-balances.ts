import { encodeFunctionData, parseAbi } from 'viem/utils';
import type { EvmClient } from '../rpc/evm-client.js';
import type { Address, Hex } from '../rpc/hex-values.js';

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

const BALANCE_ABI = parseAbi(['function balanceOf(address) view returns (uint256)']);
const BALANCE_BY_ID_ABI = parseAbi(['function balanceOf(address, uint256) view returns (uint256)']);
/** `0x` and one word. */
const WORD_LENGTH = 66;

/**
 * `balanceOf` after each block, in the order of the places: raw units, of ERC-721 the number of tokens. 0 where the contract has no code
 * yet; undefined where it refuses, answers something else, or the node has no answer. Rejects only when stopped.
 */
export async function readTokenBalances(
  places: readonly TokenHoldingAt[],
  client: Pick<EvmClient, 'callContractsAt'>,
  signal: AbortSignal,
): Promise<(bigint | undefined)[]> {
  const calls = places.map(({ contract, height, ...holding }) => ({
    to: contract,
    height,
    data: dataOf(holding),
  }));
  const answers = await client.callContractsAt({ calls, signal });
  return answers.map((answer) => {
    if (answer.status !== 'returned') return undefined;
    const { data } = answer;
    if (data === '0x') return 0n;
    return data.length === WORD_LENGTH ? BigInt(data) : undefined;
  });
}

function dataOf({ account, tokenId }: Omit<TokenHolding, 'contract'>): Hex {
  const functionName = 'balanceOf';
  return tokenId === null
    ? encodeFunctionData({ abi: BALANCE_ABI, functionName, args: [account] })
    : encodeFunctionData({ abi: BALANCE_BY_ID_ABI, functionName, args: [account, tokenId] });
}
