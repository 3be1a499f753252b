import { readTokenBalances } from '../../avalanche/evm/history/token-balances.js';
import { EvmError } from '../../avalanche/evm/evm.error.js';
import type { EvmClient } from '../../avalanche/evm/rpc/evm-client.js';
import type { RunningSums } from '../running-sums.js';
import { ADDING_UP, type ProofAccount, type ProofChain, type SignedProof } from './export-proof.js';
import { sumsOf, verifyFile } from './verify-file.js';
import { type Found, nameOf } from './verify-tokens.js';

export interface VerifyOptions {
  readonly signed: SignedProof;
  readonly file: AsyncIterable<Buffer>;
  /** By EVM chain id, decimal; chains without one are compared with the proof alone. */
  readonly clients: ReadonlyMap<string, EvmClient>;
  /** Heights at which each account is compared with a node. */
  readonly samples: number;
}

/** Of rules for which the rows must add up at every height, not only at both ends. */
const WHOLE: ReadonlySet<ProofAccount['rule']> = new Set(['indexed', 'signed']);

/**
 * Checks an export's file against its proof, and the proof against nodes: that the rows of each account add up to the difference of its
 * balances at both ends, and at heights in between, by whatever nodes are given.
 *
 * Throws what the file and the nodes throw.
 */
export async function verifyExport(options: VerifyOptions): Promise<Found> {
  const { signed, file, clients } = options;
  const { sums, problems, compared } = await verifyFile(signed, file);
  for (const chain of signed.proof.chains) {
    const client = clients.get(chain.chainId);
    if (client !== undefined) await compareWithNode(chain, client, { ...options, sums, problems, compared });
  }
  return { problems, compared };
}

async function compareWithNode(
  chain: ProofChain,
  client: EvmClient,
  {
    signed,
    sums,
    samples,
    problems,
    compared,
  }: Found & VerifyOptions & { sums: ReadonlyMap<string, RunningSums> },
): Promise<void> {
  const { blocks } = chain;
  if (blocks === null) return;
  for (const { height, hash } of [blocks.first, blocks.last]) {
    const header = await client.getBlockHeader({ height: BigInt(height) });
    if (header === undefined) {
      throw new EvmError(
        'BLOCK_UNAVAILABLE',
        `${client.hosts[0]} does not have block ${height} of ${chain.name}`,
      );
    }
    if (header.hash !== hash) {
      problems.push(`block ${height} of ${chain.name} is another one at ${client.hosts[0]}`);
    }
  }
  const [first, last] = [BigInt(blocks.first.height), BigInt(blocks.last.height)];
  const heights = { from: first - 1n, to: last };
  for (const account of chain.accounts) {
    await compareTokensWithNode(chain, account, client, { heights, problems, compared });
    const { address, opening, closing, rule } = account;
    if (opening === null || closing === null || !ADDING_UP.has(rule)) continue;
    const isWhole = WHOLE.has(rule) && signed.proof.request.format === 'standard';
    const between = isWhole ? sampleOf(first, last, samples) : [];
    const places = [...new Set([first - 1n, ...between, last])].filter((height) => height >= 0n);
    const balances = await client.statesAt({
      queries: places.map((height) => ({ address, field: 'balance', height })),
    });
    const own = sumsOf(sums, chain, account);
    const balanceAt = (height: bigint): bigint =>
      height === last ? BigInt(closing.balance) : BigInt(opening.balance) + own.upTo(height);
    const wrong = places.filter((height, index) => balances[index] !== balanceAt(height));
    const who = `${address} on ${chain.name} (${chain.chainId})`;
    if (wrong.length === 0) {
      compared.push(`${who}: ${places.length} balances are those of ${client.hosts[0]}`);
    } else {
      problems.push(
        `${who}: its rows do not add up to its balance at ${client.hosts[0]} after blocks ${wrong.join(', ')}`,
      );
    }
  }
}

/** Balances of tokens at both ends. */
async function compareTokensWithNode(
  { name, chainId }: ProofChain,
  { address, tokens }: ProofAccount,
  client: EvmClient,
  {
    heights: { from, to },
    problems,
    compared,
  }: Found & { readonly heights: { readonly from: bigint; readonly to: bigint } },
): Promise<void> {
  const ends = tokens.flatMap((token) => [
    { token, height: from, expected: token.opening },
    { token, height: to, expected: token.closing },
  ]);
  const known = ends.filter(({ height, expected }) => height >= 0n && expected !== null);
  const places = known.map(({ token: { contract, tokenId }, height }) => ({
    account: address,
    contract,
    tokenId: tokenId === null ? null : BigInt(tokenId),
    height,
  }));
  const balances = await readTokenBalances(places, client, new AbortController().signal);
  const wrong = known.filter(({ expected }, index) => balances[index]?.toString() !== expected);
  for (const { token, height } of wrong) {
    problems.push(
      `${address} on ${name} (${chainId}), token ${nameOf(token)}: another balance at ${client.hosts[0]} after block ${height}`,
    );
  }
  if (known.length === 0 || wrong.length > 0) return;
  compared.push(
    `${address} on ${name} (${chainId}): ${known.length} balances of tokens are those of ${client.hosts[0]}`,
  );
}

function sampleOf(first: bigint, last: bigint, count: number): bigint[] {
  return Array.from(
    { length: count },
    () => first + BigInt(Math.floor(Math.random() * Number(last - first + 1n))),
  );
}
