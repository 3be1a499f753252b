import { createHash } from 'node:crypto';
import type { EvmClient } from '../../avalanche/evm/rpc/evm-client.js';
import { StandardRowReader } from '../rows/standard-row.js';
import { isGenuine, type ProofAccount, type ProofChain, type SignedProof } from './export-proof.js';
import { compareTokens, compareTokensWithNode, type Found, TokenRows } from './verify-tokens.js';

/** Where the rows of an account stand: what they add up to behind each of its blocks, ascending. */
type Sums = { readonly height: bigint; readonly sum: bigint }[];

export interface VerifyOptions {
  readonly signed: SignedProof;
  readonly file: AsyncIterable<Buffer>;
  /** By EVM chain id, decimal; chains without one are compared with the proof alone. */
  readonly clients: ReadonlyMap<string, EvmClient>;
  /** Heights at which each account is compared with a node. */
  readonly samples: number;
}

export interface VerifiedExport {
  /** Sentences; none when everything is as in the proof. */
  readonly problems: string[];
  /** A sentence for each comparison that found no difference. */
  readonly compared: string[];
}

const NATIVE_KINDS: ReadonlySet<string> = new Set(['NATIVE', 'INTERNAL', 'FEE', 'MINT', 'IMPORT', 'EXPORT']);
const NUMBER = /^\d{1,78}$/;
/** Of rules for which the rows must add up at every height, not only at both ends. */
const WHOLE: ReadonlySet<ProofAccount['rule']> = new Set(['indexed', 'signed']);

/**
 * Checks an export's file against its proof, and the proof against nodes: the signature and the digests, that the rows of each account add
 * up to the difference of its balances at both ends, and at heights in between, by whatever nodes are given.
 *
 * Throws what the file and the nodes throw.
 */
export async function verifyExport(options: VerifyOptions): Promise<VerifiedExport> {
  const { signed, clients } = options;
  const { proof } = signed;
  const problems: string[] = isGenuine(signed) ? [] : ['the signature is not that of the key'];
  const compared: string[] = [];
  const { sums, tokens, digests } = await readFile(options);
  if (digests.some((digest, index) => digest !== proof.file.parts[index]?.sha256)) {
    problems.push('the file is not the one that the proof is of');
  }
  const { format } = proof.request;
  if (format !== 'standard') compared.push(`rows of the format ${format} cannot be added up`);
  for (const chain of proof.chains) {
    for (const account of format === 'standard' ? chain.accounts : []) {
      compareWithProof(chain, account, sumsOf(sums, chain, account), { problems, compared });
      compareTokens(chain, account, tokens, { problems, compared });
    }
    const client = clients.get(chain.chainId);
    if (client !== undefined) await compareWithNode(chain, client, { ...options, sums, problems, compared });
  }
  return { problems, compared };
}

async function readFile({ signed, file }: VerifyOptions) {
  const digests: string[] = [];
  const sums = new Map<string, Sums>();
  const parts = signed.proof.file.parts.map(({ bytes }) => bytes);
  const isStandard = signed.proof.request.format === 'standard';
  const accounts = new Set<string>(signed.proof.request.addresses);
  const tokens = new TokenRows(signed.proof);
  const reader = new StandardRowReader();
  for await (const chunk of digestParts(file, parts, digests)) {
    for (const row of isStandard ? reader.add(chunk) : []) {
      // The header, or a file of something else, as the digests will show.
      if (!NUMBER.test(row.rawAmount) || !NUMBER.test(row.height)) continue;
      tokens.add(row);
      const { chainId, height, kind, from, to, tokenId, rawAmount } = row;
      if (!NATIVE_KINDS.has(kind) || tokenId !== '') continue;
      if (accounts.has(from)) add(sums, `${chainId} ${from}`, BigInt(height), -BigInt(rawAmount));
      if (accounts.has(to)) add(sums, `${chainId} ${to}`, BigInt(height), BigInt(rawAmount));
    }
  }
  return { sums, tokens, digests };
}

/** Passes the file on, with the digest of each stretch of it. */
async function* digestParts(
  file: AsyncIterable<Buffer>,
  parts: readonly number[],
  digests: string[],
): AsyncGenerator<Buffer, void> {
  let hash = createHash('sha256');
  let left = parts[0] ?? Infinity;
  /** Bytes that are in no digest yet. */
  let pending = 0;
  for await (const chunk of file) {
    let rest = chunk;
    while (rest.length >= left) {
      digests.push(hash.update(rest.subarray(0, left)).digest('hex'));
      rest = rest.subarray(left);
      hash = createHash('sha256');
      pending = 0;
      left = parts[digests.length] ?? Infinity;
    }
    hash.update(rest);
    left -= rest.length;
    pending += rest.length;
    yield chunk;
  }
  // Bytes behind the last part belong to no proof, and neither does a part that is short.
  if (digests.length !== parts.length || pending > 0) digests.push('');
}

function add(sums: Map<string, Sums>, key: string, height: bigint, amount: bigint): void {
  const own = sums.get(key) ?? [];
  const last = own.at(-1);
  const sum = (last?.sum ?? 0n) + amount;
  if (last?.height === height) own[own.length - 1] = { height, sum };
  else own.push({ height, sum });
  sums.set(key, own);
}

function sumsOf(sums: ReadonlyMap<string, Sums>, { chainId }: ProofChain, { address }: ProofAccount): Sums {
  return sums.get(`${chainId} ${address}`) ?? [];
}

function compareWithProof(chain: ProofChain, account: ProofAccount, sums: Sums, found: Found): void {
  const { address, opening, closing, rule } = account;
  const who = `${address} on ${chain.name} (${chain.chainId})`;
  if (opening === null || closing === null) {
    found.compared.push(`${who}: the proof has no balances, as no node had these states`);
    return;
  }
  const change = BigInt(closing.balance) - BigInt(opening.balance);
  const sum = sums.at(-1)?.sum ?? 0n;
  if (rule === 'reserved') return;
  if (sum === change) {
    found.compared.push(`${who}: its rows add up to the change of its balance, ${change}; ${rule}`);
  } else {
    found.problems.push(`${who}: its rows add up to ${sum}, its balance has changed by ${change}`);
  }
}

async function compareWithNode(
  chain: ProofChain,
  client: EvmClient,
  { signed, sums, samples, problems, compared }: Found & VerifyOptions & { sums: ReadonlyMap<string, Sums> },
): Promise<void> {
  const { blocks } = chain;
  if (blocks === null) return;
  for (const { height, hash } of [blocks.first, blocks.last]) {
    const header = await client.getBlockHeader({ height: BigInt(height) });
    if (header?.hash !== hash) {
      problems.push(`block ${height} of ${chain.name} is another one at ${client.hosts[0]}`);
    }
  }
  const [first, last] = [BigInt(blocks.first.height), BigInt(blocks.last.height)];
  const heights = { from: first - 1n, to: last };
  for (const account of chain.accounts) {
    await compareTokensWithNode(chain, account, client, { heights, problems, compared });
    const { address, opening, closing, rule } = account;
    if (opening === null || closing === null || rule === 'reserved') continue;
    const isWhole = WHOLE.has(rule) && signed.proof.request.format === 'standard';
    const between = isWhole ? sampleOf(first, last, samples) : [];
    const places = [...new Set([first - 1n, ...between, last])].filter((height) => height >= 0n);
    const balances = await client.statesAt({
      queries: places.map((height) => ({ address, field: 'balance', height })),
    });
    const own = sumsOf(sums, chain, account);
    const balanceAt = (height: bigint): bigint =>
      height === last ? BigInt(closing.balance) : BigInt(opening.balance) + sumAt(own, height);
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

function sampleOf(first: bigint, last: bigint, count: number): bigint[] {
  return Array.from(
    { length: count },
    () => first + BigInt(Math.floor(Math.random() * Number(last - first + 1n))),
  );
}

/** Of all rows up to a height. */
function sumAt(sums: Sums, height: bigint): bigint {
  return sums.findLast((each) => each.height <= height)?.sum ?? 0n;
}
