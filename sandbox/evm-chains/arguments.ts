import { z, type ZodType } from 'zod';
import type { Hex } from '../../src/avalanche/evm/rpc/hex-values.js';

/** Arguments as geth reads them, with its words for what it cannot read (libevm common/hexutil, rpc/types.go). */

const TAGS = ['latest', 'pending', 'safe', 'finalized', 'accepted', 'earliest'] as const;
type Tag = (typeof TAGS)[number];

const HASH_DIGITS = 64;
const ADDRESS_DIGITS = 40;
const UINT64_DIGITS = 16;

class ArgumentProblem extends Error {}

export const HashArgument = argument((value) => readBytes(value, HASH_DIGITS, 'common.Hash'));
export const AddressArgument = argument((value) => readBytes(value, ADDRESS_DIGITS, 'common.Address'));

/** A height, or a word for one. */
export const BlockArgument = argument(readBlock);
export type Block = number | Tag;

/** The same, or a block's hash; also as an object that names which of the two it is. */
export const BlockOrHashArgument = argument((value): Block | { readonly hash: Hex } => {
  const { data } = BlockObjectSchema.safeParse(value);
  if (data?.blockHash !== undefined) return { hash: data.blockHash };
  const block = data?.blockNumber ?? value;
  if (typeof block !== 'string') throw new ArgumentProblem(notInto('string', block));
  return block.length === 2 + HASH_DIGITS
    ? { hash: readBytes(block, HASH_DIGITS, 'common.Hash') }
    : readBlock(block);
});
export type BlockOrHash = z.output<typeof BlockOrHashArgument>;

/** Calls by contract and input; the rest of a call makes no difference to a recording. */
export const CallArgument = argument((value) => {
  const { data: call } = CallObjectSchema.safeParse(value);
  if (call === undefined) throw new ArgumentProblem(notInto('ethapi.TransactionArgs', value));
  return {
    to: call.to === undefined ? undefined : readBytes(call.to, ADDRESS_DIGITS, 'common.Address'),
    data: readData(call.input ?? call.data ?? '0x'),
  };
});

/** Which logs: of one block or of a stretch, of some contracts, with some topics by their places. */
export const LogFilterArgument = argument((value) => {
  const { data: filter } = LogFilterSchema.safeParse(value);
  if (filter === undefined) throw new ArgumentProblem(notInto('filters.FilterCriteria', value));
  const { blockHash, fromBlock, toBlock, address, topics } = filter;
  const isRange = fromBlock != null || toBlock != null;
  if (blockHash != null && isRange) {
    throw new ArgumentProblem('cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other');
  }
  return {
    block: blockHash == null ? undefined : { hash: readBytes(blockHash, HASH_DIGITS, 'common.Hash') },
    from: readBlock(fromBlock ?? 'latest'),
    to: readBlock(toBlock ?? 'latest'),
    addresses: listOf(address).map((each) => readBytes(each, ADDRESS_DIGITS, 'common.Address')),
    topics: (topics ?? []).map((each) =>
      listOf(each).map((topic) => readBytes(topic, HASH_DIGITS, 'common.Hash')),
    ),
  };
});

export const FlagArgument = argument((value) => {
  if (typeof value === 'boolean') return value;
  throw new ArgumentProblem(notInto('bool', value));
});

/** The only tracer that was recorded. */
export const TracerArgument = z.looseObject({ tracer: z.literal('callTracer') });

const BlockObjectSchema = z.object({
  blockHash: HashArgument.optional(),
  blockNumber: z.string().optional(),
});
const LogFilterSchema = z.object({
  blockHash: z.unknown().optional(),
  fromBlock: z.unknown().optional(),
  toBlock: z.unknown().optional(),
  address: z.unknown().optional(),
  topics: z.array(z.unknown()).max(4).nullish(),
});
const CallObjectSchema = z.object({
  to: z.unknown().optional(),
  data: z.unknown().optional(),
  input: z.unknown().optional(),
});

function argument<T>(read: (value: unknown) => T): ZodType<T> {
  return z.unknown().transform((value, context) => {
    try {
      return read(value);
    } catch (error) {
      if (!(error instanceof ArgumentProblem)) throw error;
      context.addIssue(error.message);
      return z.NEVER;
    }
  });
}

/** Nothing, one, or several. */
function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function readBlock(value: unknown): Block {
  const tag = TAGS.find((known) => known === value);
  return tag ?? readHeight(value);
}

function readHeight(value: unknown): number {
  const digits = hexDigits(value);
  if (digits === '') throw new ArgumentProblem('hex string "0x"');
  if (digits.length > 1 && digits.startsWith('0')) {
    throw new ArgumentProblem('hex number with leading zero digits');
  }
  if (digits.length > UINT64_DIGITS) throw new ArgumentProblem('hex number > 64 bits');
  return Number.parseInt(digits, 16);
}

function readBytes(value: unknown, length: number, type: string): Hex {
  const digits = hexDigits(value);
  if (digits.length === length) return `0x${digits}`;
  throw new ArgumentProblem(`hex string has length ${digits.length}, want ${length} for ${type}`);
}

function readData(value: unknown): Hex {
  const digits = hexDigits(value);
  if (digits.length % 2 === 0) return `0x${digits}`;
  throw new ArgumentProblem('hex string of odd length');
}

/** In lower case. */
function hexDigits(value: unknown): string {
  if (typeof value !== 'string' || !value.startsWith('0x')) {
    throw new ArgumentProblem('hex string without 0x prefix');
  }
  if (!/^0x[0-9a-f]*$/i.test(value)) throw new ArgumentProblem('invalid hex string');
  return value.slice(2).toLowerCase();
}

/** Go's words. */
function notInto(type: string, value: unknown): string {
  return `json: cannot unmarshal ${Array.isArray(value) ? 'array' : typeof value} into Go value of type ${type}`;
}
