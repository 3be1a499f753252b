import type { StandardRow } from '../rows/standard-row.js';
import type { ProofAccount, ProofChain, ProofContent, ProofToken } from './export-proof.js';

/** Sentences that a comparison adds. */
export interface Found {
  readonly problems: string[];
  readonly compared: string[];
}

/** Sums of the rows of each of the proof's tokens, and the coins that went between its contract and an account. */
export class TokenRows {
  private readonly accounts: ReadonlySet<string>;
  private readonly contracts: ReadonlySet<string>;
  private readonly sums = new Map<string, bigint>();

  constructor({ request, chains }: Pick<ProofContent, 'request' | 'chains'>) {
    this.accounts = new Set(request.addresses);
    this.contracts = new Set(
      chains.flatMap(({ accounts }) =>
        accounts.flatMap(({ tokens }) => tokens.map(({ contract }) => contract)),
      ),
    );
  }

  add({ chainId, kind, from, to, contract, tokenId, rawAmount }: StandardRow): void {
    const amount = BigInt(rawAmount);
    if (kind.startsWith('ERC')) {
      const token = keyOf(contract, kind === 'ERC1155' ? tokenId : null);
      if (this.accounts.has(from)) this.count(`${chainId} ${from} ${token}`, -amount);
      if (this.accounts.has(to)) this.count(`${chainId} ${to} ${token}`, amount);
    } else if (kind === 'NATIVE' || kind === 'INTERNAL') {
      if (this.contracts.has(to)) this.count(`${chainId} ${from} coins ${to}`, amount);
      if (this.contracts.has(from)) this.count(`${chainId} ${to} coins ${from}`, -amount);
    }
  }

  sumOf({ chainId }: ProofChain, { address }: ProofAccount, { contract, tokenId }: ProofToken): bigint {
    return this.sums.get(`${chainId} ${address} ${keyOf(contract, tokenId)}`) ?? 0n;
  }

  /** That the account gave, less those that came back: a wrapped coin changes by as much, without a transfer. */
  coinsTo({ chainId }: ProofChain, { address }: ProofAccount, { contract }: ProofToken): bigint {
    return this.sums.get(`${chainId} ${address} coins ${contract}`) ?? 0n;
  }

  private count(key: string, amount: bigint): void {
    this.sums.set(key, (this.sums.get(key) ?? 0n) + amount);
  }
}

/** A contract that changes balances without logs is no fault of the file: the difference is named. */
export function compareTokens(chain: ProofChain, account: ProofAccount, rows: TokenRows, found: Found): void {
  let equal = 0;
  for (const token of account.tokens) {
    const { opening, closing } = token;
    const what = `${account.address} on ${chain.name} (${chain.chainId}), token ${nameOf(token)}`;
    const sum = rows.sumOf(chain, account, token);
    if (sum.toString() !== token.rows) {
      found.problems.push(`${what}: its rows add up to ${sum}, those of the proof to ${token.rows}`);
    } else if (opening === null || closing === null) {
      found.compared.push(`${what}: the proof has no balances`);
    } else {
      const change = BigInt(closing) - BigInt(opening);
      if (change === sum) {
        equal += 1;
      } else if (change === sum + rows.coinsTo(chain, account, token)) {
        found.compared.push(`${what}: with the coins that it wraps, its rows add up to ${change}`);
      } else {
        found.compared.push(
          `${what}: its rows add up to ${sum}, its balance has changed by ${change}: the contract changes balances without logs`,
        );
      }
    }
  }
  if (equal === 0) return;
  found.compared.push(
    `${account.address} on ${chain.name} (${chain.chainId}): the rows of ${equal} tokens add up to the changes of their balances`,
  );
}

function keyOf(contract: string, tokenId: string | null): string {
  return tokenId === null ? contract : `${contract} ${tokenId}`;
}

/** Of a token, for people. */
export function nameOf({ contract, tokenId }: ProofToken): string {
  return tokenId === null ? contract : `${contract} #${tokenId}`;
}
