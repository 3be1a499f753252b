import { z } from 'zod';
import { IdError } from '../../../avalanche/ids/id.error.js';
import { unpackAddress } from '../../../avalanche/ids/address.js';
import { nodeIdFromString } from '../../../avalanche/ids/node-id.js';
import { type ShortIdHex, shortIdToHex } from '../../../avalanche/ids/text.js';
import { EXAMPLES } from '../openapi/examples.js';
import { BASE58, digitsUpTo } from '../openapi/patterns.js';
import { EvmAddressSchema } from './evm-address.schema.js';
import { describeUnknown } from './unknown-names.js';

/** A query's parameters: unknown ones are refused, because a misspelt filter would answer too much. */
export function querySchema<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? describeUnknown('query parameter', issue.keys as readonly string[])
        : undefined,
  });
}

/** Postgres has no NUL in texts, and no name has another control character. */
export const TextSchema = z
  .string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be given once') })
  .refine((text) => !/\p{Cc}/u.test(text), { error: 'must not contain control characters', abort: true });

/** An empty one is that of the first page, as loops begin with. */
export const PageTokenSchema = TextSchema.transform((token) => (token === '' ? undefined : token))
  .meta({
    format: 'page-token',
    maxLength: 512,
    description:
      'The `nextPageToken` of the previous page, with the same other parameters (`pageSize` may change). Omitted or ' +
      'empty: the first page.',
  })
  .optional();

export function pageSizeSchema(limits: { max: number; default: number }) {
  return integerSchema({ min: 1n, max: BigInt(limits.max) })
    .transform(Number)
    .meta({ description: 'Maximum number of rows on a page.' })
    .default(limits.default);
}

const SORT_ORDERS = ['asc', 'desc'] as const;
export type SortOrder = (typeof SORT_ORDERS)[number];

/** Newest, largest first unless asked otherwise. */
export const SortOrderSchema = oneOfSchema(SORT_ORDERS)
  .meta({ description: 'Rows with equal keys are sorted by their ids, in the same direction.' })
  .default('desc');

export function oneOfSchema<const Name extends string>(names: readonly Name[]) {
  return z.enum(names, { error: `must be one of ${names.join(', ')}` });
}

export const BooleanSchema = TextSchema.transform((text, context): boolean => {
  if (text === 'true' || text === 'false') return text === 'true';
  return fail(context, 'must be one of true, false');
}).meta({ type: 'boolean' });

/** Decimal digits of a whole number within the limits, both allowed. */
export function integerSchema({ min, max }: { min: bigint; max: bigint }) {
  return TextSchema.transform((text, context): bigint => {
    const value = /^\d{1,20}$/.test(text) ? BigInt(text) : undefined;
    if (value !== undefined && value >= min && value <= max) return value;
    return fail(context, `must be a whole number from ${min} to ${max}`);
  }).meta(
    max <= Number.MAX_SAFE_INTEGER
      ? { type: 'integer', minimum: Number(min), maximum: Number(max) }
      : { type: 'string', pattern: digitsUpTo(max) },
  );
}

/** UNIX seconds, to the last of the year 9999. */
export const TimestampSchema = integerSchema({ min: 0n, max: 253_402_300_799n }).transform(Number);

/** On either side of the point: no more than any of the numbers means anything with. */
export const MAX_DECIMAL_DIGITS = 20;
const DECIMAL = new RegExp(`^\\d{1,${MAX_DECIMAL_DIGITS}}(\\.\\d{1,${MAX_DECIMAL_DIGITS}})?$`);
/** As clients print very small numbers. */
const WITH_EXPONENT = /^\d(\.\d{1,20})?e[+-]?\d{1,3}$/i;

/** A decimal number within the limits, both allowed, as its shortest text: the caller decides how it is to be rounded. */
export function decimalSchema({ min, max }: { min: number; max: number }) {
  return TextSchema.transform((text, context): string => {
    const isPlain = DECIMAL.test(text);
    const value = isPlain || WITH_EXPONENT.test(text) ? Number(text) : NaN;
    if (value >= min && value <= max) return shortest(isPlain ? text : value.toFixed(MAX_DECIMAL_DIGITS));
    return fail(context, `must be a number from ${min} to ${max}`);
  }).meta({ type: 'number', minimum: min, maximum: max });
}

/** Page tokens are of queries, and two ways of writing a number are one query. */
function shortest(decimal: string): string {
  return decimal
    .replace(/^0+(?=\d)/, '')
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');
}

/** A decimal text times 10^digits, rounded to a whole number towards the given side. */
export function scaleDecimal(text: string, digits: number, towards: 'up' | 'down'): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  const kept = BigInt(whole + fraction.slice(0, digits).padEnd(digits, '0'));
  return towards === 'up' && /[1-9]/.test(fraction.slice(digits)) ? kept + 1n : kept;
}

const NUMBER = /^(\d{1,20}(?:\.\d{1,20})?)(?:e\+?(\d{1,2}))?$/i;

/** Any JSON number from 0 to `max`, in whole units of what is counted: a fraction of one is rounded up. */
export function minimumSchema({ max }: { max: bigint }) {
  return TextSchema.transform((text, context): bigint => {
    const [, decimal, exponent = '0'] = NUMBER.exec(text) ?? [];
    const value = decimal === undefined ? undefined : scaleDecimal(decimal, Number(exponent), 'up');
    if (value !== undefined && value <= max) return value;
    return fail(context, `must be a number from 0 to ${max}`);
  }).meta({ type: 'number', minimum: 0 });
}

/** Longer than any value of a list. */
const MAX_SHOWN_PART = 80;

/** Longer lists belong into several requests. */
const MAX_LIST_LENGTH = 64;

/** Comma-separated values, parsed one by one, equal ones once and in one order. At most `MAX_LIST_LENGTH` different ones. */
function listSchema<T>(options: {
  name: string;
  /** Of one value, for the document. */
  pattern: string;
  format: string;
  description: string;
  example: string;
  parse: (text: string) => T | undefined;
  /** Equal for equal values. */
  keyOf: (value: T) => string;
}) {
  return TextSchema.transform((text, context): readonly T[] => {
    const values = new Map<string, T>();
    for (const part of text.split(',')) {
      const value = options.parse(part.trim());
      if (value === undefined) {
        const shown = JSON.stringify(part.slice(0, MAX_SHOWN_PART));
        return fail(context, `must be ${options.name}, comma-separated; ${shown} is none`);
      }
      values.set(options.keyOf(value), value);
    }
    if (values.size > MAX_LIST_LENGTH) {
      return fail(context, `must not have more than ${MAX_LIST_LENGTH} different values`);
    }
    return [...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
  }).meta({
    pattern: `^${options.pattern}(,${options.pattern})*$`,
    format: options.format,
    description: `${options.description} Comma-separated, at most ${MAX_LIST_LENGTH} different ones; rows that match any of them are listed.`,
    example: options.example,
  });
}

const BECH32_PATTERN = '([PXC]-)?[a-z]{1,16}1[02-9ac-hj-np-z]{38}';

/** An address of the P-, X- or C-chain; whether its network is the asked one is for the service to compare. */
export interface QueriedAddress {
  readonly hrp: string;
  readonly bytes: ShortIdHex;
}

const CHAIN_ALIASES: ReadonlySet<string | undefined> = new Set([undefined, 'P', 'X', 'C']);

export const AddressesSchema = listSchema<QueriedAddress>({
  name: 'bech32 addresses with or without P- or X- in front',
  pattern: BECH32_PATTERN,
  format: 'addresses',
  description: 'Bech32 addresses of the network, with or without a chain prefix (`P-`, `X-`, `C-`).',
  example: EXAMPLES.address,
  parse: parseBech32,
  keyOf: ({ hrp, bytes }) => `${hrp}:${bytes}`,
});

/** Of UTXOs, or of EVM chains: 0x and lower case. */
export const AnyAddressesSchema = listSchema<QueriedAddress | string>({
  name: 'bech32 addresses with or without P-, X- or C- in front, or 0x addresses',
  pattern: `(${BECH32_PATTERN}|0x[0-9a-fA-F]{40})`,
  format: 'any-addresses',
  description:
    'Bech32 addresses of the network, with or without a chain prefix (`P-`, `X-`, `C-`), and EVM addresses.',
  example: EXAMPLES.address,
  parse: (text) => (text.startsWith('0x') ? EvmAddressSchema.safeParse(text).data : parseBech32(text)),
  keyOf: (address) => (typeof address === 'string' ? address : `${address.hrp}:${address.bytes}`),
});

function parseBech32(text: string): QueriedAddress | undefined {
  return orUndefined(() => {
    const { chainAlias, hrp, bytes } = unpackAddress(text);
    if (!CHAIN_ALIASES.has(chainAlias)) return undefined;
    return { hrp, bytes: shortIdToHex(bytes) };
  });
}

export const NodeIdSchema = TextSchema.transform((text, context): ShortIdHex => {
  const nodeId = orUndefined(() => shortIdToHex(nodeIdFromString(text)));
  return nodeId ?? fail(context, 'must be a node id (NodeID-…)');
}).meta({
  pattern: `^NodeID-${BASE58}{24,34}$`,
  format: 'node-id',
  description: 'Complete node id.',
  example: EXAMPLES.nodeId,
});

export const NodeIdsSchema = listSchema<ShortIdHex>({
  name: 'node ids (NodeID-…)',
  pattern: `NodeID-${BASE58}{24,34}`,
  format: 'node-ids',
  description: 'Complete node ids.',
  example: EXAMPLES.nodeId,
  parse: (text) => orUndefined(() => shortIdToHex(nodeIdFromString(text))),
  keyOf: (nodeId) => nodeId,
});

/** Nothing that contains other characters, or more of them, is part of a node id. */
const NODE_ID_PART = /^[0-9A-Za-z-]{1,64}$/;

export const NodeIdPartsSchema = listSchema<string>({
  name: 'parts of node ids (letters, digits and -, at most 64 of them)',
  pattern: '[0-9A-Za-z-]{1,64}',
  format: 'node-id-parts',
  description: 'Node ids or parts of them.',
  example: EXAMPLES.nodeId,
  parse: (text) => (NODE_ID_PART.test(text) ? text : undefined),
  keyOf: (part) => part,
});

function orUndefined<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof IdError) return undefined;
    throw error;
  }
}

function fail(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}
