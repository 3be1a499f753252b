import { createHash } from 'node:crypto';
import { StandardRowReader } from '../rows/standard-row.js';
import { RunningSums } from '../running-sums.js';
import {
  ADDING_UP,
  isGenuine,
  type ProofAccount,
  type ProofChain,
  type SignedProof,
} from './export-proof.js';
import { compareTokens, type Found, TokenRows } from './verify-tokens.js';

export interface VerifiedFile extends Found {
  /** Of the rows of each account on each chain. */
  readonly sums: ReadonlyMap<string, RunningSums>;
}

const NATIVE_KINDS: ReadonlySet<string> = new Set(['NATIVE', 'INTERNAL', 'FEE', 'MINT', 'IMPORT', 'EXPORT']);
const NUMBER = /^\d{1,78}$/;

/**
 * Checks an export's file against its proof: the signature and the digests, and that the rows of each account add up to the difference of
 * its balances at both ends. Throws what the file throws.
 */
export async function verifyFile(signed: SignedProof, file: AsyncIterable<Buffer>): Promise<VerifiedFile> {
  const { proof } = signed;
  const problems: string[] = isGenuine(signed) ? [] : ['the signature is not that of the key'];
  const compared: string[] = [];
  const { sums, tokens, digests } = await readFile(signed, file);
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
  }
  return { problems, compared, sums };
}

async function readFile(signed: SignedProof, file: AsyncIterable<Buffer>) {
  const digests: string[] = [];
  const sums = new Map<string, RunningSums>();
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

function add(sums: Map<string, RunningSums>, key: string, height: bigint, amount: bigint): void {
  const own = sums.get(key) ?? new RunningSums();
  own.add(height, amount);
  sums.set(key, own);
}

export function sumsOf(
  sums: ReadonlyMap<string, RunningSums>,
  { chainId }: ProofChain,
  { address }: ProofAccount,
): RunningSums {
  return sums.get(`${chainId} ${address}`) ?? new RunningSums();
}

function compareWithProof(chain: ProofChain, account: ProofAccount, sums: RunningSums, found: Found): void {
  const { address, opening, closing, rule } = account;
  const who = `${address} on ${chain.name} (${chain.chainId})`;
  if (opening === null || closing === null) {
    found.compared.push(`${who}: the proof has no balances, as no node had these states`);
    return;
  }
  const change = BigInt(closing.balance) - BigInt(opening.balance);
  const sum = sums.total;
  if (!ADDING_UP.has(rule)) {
    found.compared.push(`${who}: rows may be missing, as its rule is ${rule}`);
    return;
  }
  if (sum === change) {
    found.compared.push(`${who}: its rows add up to the change of its balance, ${change}; ${rule}`);
  } else {
    found.problems.push(`${who}: its rows add up to ${sum}, its balance has changed by ${change}`);
  }
}
