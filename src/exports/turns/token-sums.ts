import { z } from 'zod';
import type { TokenHolding } from '../../avalanche/evm/history/token-balances.js';
import { readAddress } from '../../avalanche/evm/rpc/hex-values.js';
import { SignedDecimalSchema } from '../record-schemas.js';

/** Sum of an account's rows, of one token. */
export interface TokenSum extends TokenHolding {
  readonly sum: bigint;
}

/** Of the tokens in an export's rows, for its proof. */
export interface TokenSums {
  /** By chain id, account, contract and id of the token, with a space between. */
  readonly sums: Readonly<Record<string, string>>;
  /** False once there are more tokens than are counted. */
  readonly areAll: boolean;
}

/** Each costs the proof two calls to nodes, and anybody can send tokens to anybody. The first ones count. */
const MAX_TOKEN_SUMS = 500;

export const NO_TOKENS: TokenSums = { sums: {}, areAll: true };

export const TokenSumsSchema = z.object({
  sums: z.record(z.string(), SignedDecimalSchema),
  areAll: z.boolean(),
});

export function addTokenSums(tokens: TokenSums, chainId: bigint, added: readonly TokenSum[]): TokenSums {
  if (added.length === 0) return tokens;
  const sums = new Map(Object.entries(tokens.sums));
  let { areAll } = tokens;
  for (const { account, contract, tokenId, sum } of added) {
    const key = [chainId, account, contract, ...(tokenId === null ? [] : [tokenId])].join(' ');
    const before = sums.get(key);
    if (before === undefined && sums.size >= MAX_TOKEN_SUMS) areAll = false;
    else sums.set(key, (BigInt(before ?? 0) + sum).toString());
  }
  return { sums: Object.fromEntries(sums), areAll };
}

export function tokenSumsOf({ sums }: TokenSums, chainId: bigint): TokenSum[] {
  const prefix = `${chainId} `;
  return Object.entries(sums)
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, sum]) => {
      const [, account = '', contract = '', tokenId] = key.split(' ');
      return {
        account: readAddress(account, 'account'),
        contract: readAddress(contract, 'contract'),
        tokenId: tokenId === undefined ? null : BigInt(tokenId),
        sum: BigInt(sum),
      };
    });
}
