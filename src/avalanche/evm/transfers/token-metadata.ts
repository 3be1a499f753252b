import { decodeAbiParameters, encodeFunctionData, parseAbi } from 'viem/utils';
import type { ContractCalls, EvmClient } from '../rpc/evm-client.js';
import type { ContractAnswer, Unanswered } from '../rpc/contract-call.js';
import { type Address, evmBytesOf, type Hex } from '../rpc/hex-values.js';
import { WORD_DIGITS } from '../../ids/abi-word.js';

/** Metadata that a token reports of itself; null where nothing can be read. Anybody can claim any name. */
export interface TokenMetadata {
  readonly contract: Address;
  readonly name: string | null;
  readonly symbol: string | null;
  /** 0 to 255; null for most tokens that are not ERC-20. */
  readonly decimals: number | null;
  /** Why the token could not be asked: what is null here may still be reported. */
  readonly failure?: string;
}

/** The one method of EvmClient that is needed. */
export interface ContractCaller {
  callContracts(query: ContractCalls): Promise<ContractAnswer[]>;
}

/** Tokens, and of which block; of the newest when left out. */
export interface TokenQuery extends Pick<ContractCalls, 'blockTag' | 'signal'> {
  readonly contracts: readonly Address[];
}

/** Longest texts that are kept, in characters (code points). */
export const MAX_TOKEN_NAME_LENGTH = 128;
export const MAX_TOKEN_SYMBOL_LENGTH = 64;

const MAX_DECIMALS = 255n;
/** Bytes that are looked at for one character: four of UTF-8, and room for invisible ones that are left out. */
const BYTES_PER_CHARACTER = 8;

/** Signatures of ERC-20 and ERC-721, of which only the encoding of the call is taken. */
const TOKEN_ABI = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
]);

export const NAME_QUESTIONS: readonly Hex[] = [
  encodeFunctionData({ abi: TOKEN_ABI, functionName: 'name' }),
  encodeFunctionData({ abi: TOKEN_ABI, functionName: 'symbol' }),
];

const QUESTIONS: readonly Hex[] = [
  ...NAME_QUESTIONS,
  encodeFunctionData({ abi: TOKEN_ABI, functionName: 'decimals' }),
];

/**
 * Asks each contract for its metadata, all in one batch. Whatever a contract answers is tolerated; rejects only, with
 * RpcError, when the node itself cannot answer.
 */
export async function readTokenMetadata({
  client,
  contracts,
  ...options
}: TokenQuery & { client: ContractCaller }): Promise<TokenMetadata[]> {
  const answers = await client.callContracts({ calls: questionsTo(contracts), ...options });
  return contracts.map((contract, position) => toMetadata(contract, answersOf(position, answers)));
}

/** The same, where the node's failure is that of the tokens concerned, which then have no metadata. */
export async function tryTokenMetadata({
  client,
  contracts,
  ...options
}: TokenQuery & { client: Pick<EvmClient, 'tryContracts'> }): Promise<TokenMetadata[]> {
  const answers = await client.tryContracts({ calls: questionsTo(contracts), ...options });
  return contracts.map((contract, position) => {
    const own = answersOf(position, answers);
    const unanswered = own.find((answer) => answer.status === 'unanswered');
    return unanswered === undefined ? toMetadata(contract, own) : unaskedToken(contract, unanswered.reason);
  });
}

export function unaskedToken(contract: Address, failure: string): TokenMetadata {
  return { contract, name: null, symbol: null, decimals: null, failure };
}

function questionsTo(contracts: readonly Address[]): ContractCalls['calls'] {
  return contracts.flatMap((to) => QUESTIONS.map((data) => ({ to, data })));
}

function answersOf<T>(position: number, answers: readonly T[]): T[] {
  return answers.slice(position * QUESTIONS.length, (position + 1) * QUESTIONS.length);
}

export function dataOf(answer: ContractAnswer | Unanswered): Hex {
  return answer.status === 'returned' ? answer.data : '0x';
}

function toMetadata(contract: Address, answers: readonly (ContractAnswer | Unanswered)[]): TokenMetadata {
  const [name = '0x', symbol = '0x', decimals = '0x'] = answers.map(dataOf);
  return {
    contract,
    name: readTokenText(name, MAX_TOKEN_NAME_LENGTH),
    symbol: readTokenText(symbol, MAX_TOKEN_SYMBOL_LENGTH),
    decimals: readDecimals(decimals),
  };
}

function readDecimals(data: Hex): number | null {
  const word = firstWord(data);
  return word === undefined || word > MAX_DECIMALS ? null : Number(word);
}

export function firstWord(data: Hex): bigint | undefined {
  return data.length < 2 + WORD_DIGITS ? undefined : BigInt(data.slice(0, 2 + WORD_DIGITS));
}

/**
 * The text in an answer to `name()` or `symbol()`: an ABI string, or the bytes32 of older tokens. Bytes that are no UTF-8
 * become the replacement character, control and invisible characters (which Postgres and readers stumble over) a space,
 * and what is left is cut. null when nothing is left.
 */
export function readTokenText(data: Hex, maxLength: number): string | null {
  const bytes = stringBytes(data, maxLength * BYTES_PER_CHARACTER);
  if (bytes === undefined) return null;
  const text = new TextDecoder()
    .decode(bytes)
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim();
  const cut = Array.from(text).slice(0, maxLength).join('').trim();
  return cut === '' ? null : cut;
}

/** At most `maxBytes` of the string's bytes. */
function stringBytes(data: Hex, maxBytes: number): Uint8Array | undefined {
  const bytes = abiStringBytes(data) ?? bytes32Bytes(data);
  return bytes?.subarray(0, maxBytes);
}

/** Bytes and not a string: a caller that wants a part need not decode the whole. undefined for anything that is not an ABI string. */
export function abiStringBytes(data: Hex): Uint8Array | undefined {
  if (data.length < 2 + 2 * WORD_DIGITS) return undefined;
  try {
    const [bytes] = decodeAbiParameters([{ type: 'bytes' }], data);
    return evmBytesOf(bytes);
  } catch {
    return undefined; // an offset or length that leads out of the data
  }
}

function bytes32Bytes(data: Hex): Uint8Array | undefined {
  if (data.length !== 2 + WORD_DIGITS) return undefined;
  const bytes = evmBytesOf(data);
  const end = bytes.indexOf(0);
  return end === -1 ? bytes : bytes.subarray(0, end);
}
