import {
  decodeEventLog,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  formatUnits,
  hexToString,
  parseAbi,
  parseAbiParameters,
  sha256,
} from 'viem/utils';
import { z } from 'zod';
import type { EvmRecording, RecordedEvmBlock } from '../../../sandbox/recording/evm-recording.js';

/**
 * Expected rows of an export of a C-chain, made from blocks, receipts and traces with viem's ABI coding. It shares no code with
 * src/avalanche/evm: both would have to be wrong in the same way.
 */

type Hex = `0x${string}`;
type Kind = 'NATIVE' | 'INTERNAL' | 'ERC20' | 'ERC721' | 'ERC1155' | 'FEE' | 'IMPORT' | 'EXPORT';

export interface ExpectedMovement {
  readonly kind: Kind;
  readonly height: number;
  readonly timestampSeconds: number;
  readonly txHash: string;
  /** Nothing for what is none of the EVM's transactions. */
  readonly txIndex: number | '';
  /** As the CSV has it: `7`, `7_0`, `call_0_2`, or nothing. */
  readonly position: string;
  readonly from: string;
  readonly to: string;
  readonly contract: string | null;
  readonly tokenId: bigint | null;
  readonly amount: bigint;
  readonly status: 'success' | 'failed';
  readonly methodId: string | null;
}

/** null where the contract reports nothing that can be used. */
export interface ExpectedToken {
  readonly symbol: string | null;
  readonly name: string | null;
  readonly decimals: number | null;
}

const HexSchema = z.custom<Hex>((value) => typeof value === 'string' && /^0x[0-9a-f]*$/.test(value));

const BlockSchema = z.object({
  number: HexSchema,
  timestamp: HexSchema,
  miner: HexSchema,
  transactions: z.array(
    z.object({
      hash: HexSchema,
      from: HexSchema,
      to: HexSchema.nullable(),
      value: HexSchema,
      input: HexSchema,
    }),
  ),
});

const LogSchema = z.object({
  address: HexSchema,
  topics: z.array(HexSchema),
  data: HexSchema,
  logIndex: HexSchema,
});
type Log = z.infer<typeof LogSchema>;

const ReceiptSchema = z.object({
  transactionHash: HexSchema,
  status: z.enum(['0x0', '0x1']),
  gasUsed: HexSchema,
  effectiveGasPrice: HexSchema,
  contractAddress: HexSchema.nullable(),
  logs: z.array(LogSchema),
});

interface Frame {
  type: string;
  from: Hex;
  to?: Hex | undefined;
  value?: Hex | undefined;
  error?: string | undefined;
  calls?: Frame[] | undefined;
}

const FrameSchema: z.ZodType<Frame> = z.lazy(() =>
  z.object({
    type: z.string(),
    from: HexSchema,
    to: HexSchema.optional(),
    value: HexSchema.optional(),
    error: z.string().optional(),
    calls: z.array(FrameSchema).optional(),
  }),
);

/** The part of a movement that differs within a transaction. */
type Part = Pick<ExpectedMovement, 'kind' | 'position' | 'from' | 'to' | 'contract' | 'tokenId' | 'amount'>;

/** In the order of an export: by transaction NATIVE, INTERNAL, tokens, FEE. */
export function expectMovements({ block: json, receipts, traces }: RecordedEvmBlock): ExpectedMovement[] {
  const block = BlockSchema.parse(json);
  return block.transactions.flatMap((transaction, txIndex) => {
    const receipt = ReceiptSchema.parse(receipts[txIndex]);
    if (receipt.transactionHash !== transaction.hash) throw new Error('receipts are not in order');
    const trace = traces?.find(({ txHash }) => txHash === transaction.hash);
    const hasSucceeded = receipt.status === '0x1';
    const { from, input } = transaction;
    const to = transaction.to ?? receipt.contractAddress;
    const isCreation = transaction.to === null;
    const value = BigInt(transaction.value);
    const parts: Part[] = [];
    if (hasSucceeded && to !== null && (isCreation || value > 0n)) {
      parts.push({
        kind: 'NATIVE',
        position: '',
        from,
        to,
        amount: value,
        contract: isCreation ? to : null,
        tokenId: null,
      });
    }
    if (trace !== undefined) parts.push(...internalParts(FrameSchema.parse(trace.result)));
    if (hasSucceeded) parts.push(...receipt.logs.flatMap(tokenParts));
    const fee = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
    parts.push({
      kind: 'FEE',
      position: '',
      from,
      to: block.miner,
      contract: null,
      tokenId: null,
      amount: fee,
    });
    return parts.map((part): ExpectedMovement => ({
      ...part,
      height: Number(block.number),
      timestampSeconds: Number(block.timestamp),
      txHash: transaction.hash,
      txIndex,
      status: hasSucceeded ? 'success' : 'failed',
      methodId: isCreation || input.length < 10 ? null : input.slice(0, 10),
    }));
  });
}

/** Beneath the outermost frame, depth first. */
function internalParts(frame: Frame, path: readonly number[] = []): Part[] {
  if (frame.error !== undefined) return [];
  const children = (frame.calls ?? []).flatMap((call, index) => internalParts(call, [...path, index]));
  const amount = BigInt(frame.value ?? 0);
  const creates = frame.type.startsWith('CREATE');
  const moves = creates || frame.type === 'CALL' || frame.type === 'SELFDESTRUCT';
  if (path.length === 0 || !moves || amount === 0n || frame.to === undefined) return children;
  const { from, to } = frame;
  const own: Part = {
    kind: 'INTERNAL',
    position: `call_${path.join('_')}`,
    from,
    to,
    amount,
    contract: creates ? to : null,
    tokenId: null,
  };
  return [own, ...children];
}

const erc20 = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']);
const erc721 = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
]);
const single = parseAbi([
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
]);
const batch = parseAbi([
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
]);
const oneNumber = parseAbiParameters('uint256');
const twoNumbers = parseAbiParameters('uint256, uint256');
const twoLists = parseAbiParameters('uint256[], uint256[]');

/** A log counts when it is, byte for byte, what a contract that follows one of the standards would have written. */
function tokenParts(log: Log): Part[] {
  return [erc20Parts, erc721Parts, singleParts, batchParts].flatMap((read) => {
    try {
      return read(log);
    } catch {
      return []; // another event, or nothing that can be decoded
    }
  });
}

function erc20Parts(log: Log): Part[] {
  const { args } = decodeEventLog({ abi: erc20, data: log.data, topics: topicsOf(log) });
  const topics = encodeEventTopics({ abi: erc20, eventName: 'Transfer', args });
  assertSame(log, topics, encodeAbiParameters(oneNumber, [args.value]));
  return [{ kind: 'ERC20', ...placeOf(log), ...partiesOf(args), tokenId: null, amount: args.value }];
}

function erc721Parts(log: Log): Part[] {
  const { args } = decodeEventLog({ abi: erc721, data: log.data, topics: topicsOf(log) });
  const { from, to, tokenId } = args;
  const topics = encodeEventTopics({ abi: erc721, eventName: 'Transfer', args: { from, to } });
  // On its own, because viem leaves out the topic of a zero.
  assertSame(log, [...topics.slice(0, 3), encodeAbiParameters(oneNumber, [tokenId])], '0x');
  return [{ kind: 'ERC721', ...placeOf(log), ...partiesOf(args), tokenId, amount: 1n }];
}

function singleParts(log: Log): Part[] {
  const { args } = decodeEventLog({ abi: single, data: log.data, topics: topicsOf(log) });
  const topics = encodeEventTopics({ abi: single, eventName: 'TransferSingle', args });
  assertSame(log, topics, encodeAbiParameters(twoNumbers, [args.id, args.value]));
  return [{ kind: 'ERC1155', ...placeOf(log), ...partiesOf(args), tokenId: args.id, amount: args.value }];
}

function batchParts(log: Log): Part[] {
  const { args } = decodeEventLog({ abi: batch, data: log.data, topics: topicsOf(log) });
  const topics = encodeEventTopics({ abi: batch, eventName: 'TransferBatch', args });
  assertSame(log, topics, encodeAbiParameters(twoLists, [args.ids, args.values]));
  if (args.ids.length !== args.values.length) throw new Error('not as the standard wants it');
  return args.ids.map((tokenId, index): Part => ({
    kind: 'ERC1155',
    ...placeOf(log, index),
    ...partiesOf(args),
    tokenId,
    amount: args.values[index] ?? 0n,
  }));
}

function topicsOf({ topics: [signature, ...rest] }: Log): [Hex, ...Hex[]] {
  if (signature === undefined) throw new Error('not as the standard wants it');
  return [signature, ...rest];
}

function assertSame(log: Log, topics: readonly unknown[], data: Hex): void {
  if (JSON.stringify([log.topics, log.data]) !== JSON.stringify([topics, data])) {
    throw new Error('not as the standard wants it');
  }
}

function placeOf({ logIndex, address }: Log, item?: number): Pick<Part, 'position' | 'contract'> {
  const position = String(Number(logIndex));
  return { position: item === undefined ? position : `${position}_${item}`, contract: address };
}

function partiesOf({ from, to }: { from: Hex; to: Hex }): Pick<Part, 'from' | 'to'> {
  return { from: from.toLowerCase(), to: to.toLowerCase() };
}

const tokenAbi = parseAbi([
  'function symbol() view returns (string)',
  'function name() view returns (string)',
  'function decimals() view returns (uint256)',
]);
const MAX_SYMBOL_CHARACTERS = 64;
const MAX_NAME_CHARACTERS = 128;

/** Metadata of the recorded contracts, by address. */
export function readExpectedTokens({ calls }: Pick<EvmRecording, 'calls'>): Map<string, ExpectedToken> {
  const resultOf = (contract: string, functionName: 'symbol' | 'name' | 'decimals'): Hex => {
    const data = encodeFunctionData({ abi: tokenAbi, functionName });
    const call = calls.find((entry) => entry.to === contract && entry.data === data);
    return call !== undefined && 'result' in call.answer ? call.answer.result : '0x';
  };
  const contracts = new Set(calls.map(({ to }) => to));
  return new Map(
    [...contracts].map((contract) => {
      const symbol = readText(resultOf(contract, 'symbol'), MAX_SYMBOL_CHARACTERS);
      const name = readText(resultOf(contract, 'name'), MAX_NAME_CHARACTERS);
      return [contract, { symbol, name, decimals: readDecimals(resultOf(contract, 'decimals')) }] as const;
    }),
  );
}

function readText(answer: Hex, maxCharacters: number): string | null {
  if (answer === '0x') return null;
  const text = isWord(answer)
    ? hexToString(answer, { size: 32 })
    : decodeFunctionResult({ abi: tokenAbi, functionName: 'symbol', data: answer });
  const characters = [...text].map((character) => (/[\p{C}\p{Z}]/u.test(character) ? ' ' : character));
  const words = characters
    .join('')
    .split(' ')
    .filter((word) => word !== '');
  return [...words.join(' ')].slice(0, maxCharacters).join('').trim() || null;
}

function readDecimals(answer: Hex): number | null {
  if (!isWord(answer)) return null;
  const decimals = decodeFunctionResult({ abi: tokenAbi, functionName: 'decimals', data: answer });
  return decimals > 255n ? null : Number(decimals);
}

function isWord(answer: Hex): boolean {
  return answer.length === 66;
}

/** Whose rows, and their columns of the chain and its tokens. */
export interface ExpectedFile {
  readonly chainId: bigint;
  readonly chainName: string;
  readonly native: ExpectedToken;
  readonly tokens: ReadonlyMap<string, ExpectedToken>;
  readonly addresses: readonly string[];
  /** Kinds that the export was not asked for, or could not have, are left out. */
  readonly kinds?: readonly Kind[];
}

/**
 * The rows that an export of these addresses has, without header and each with its line end, in order.
 */
export function expectCsvRows({
  blocks,
  atomic = [],
  ...file
}: ExpectedFile & {
  readonly blocks: readonly RecordedEvmBlock[];
  /** The recorder's list of imports and exports. */
  readonly atomic?: EvmRecording['atomic'];
}): string[] {
  return expectCsvRowsOf(
    blocks.flatMap((block) => [...expectMovements(block), ...expectAtomic(block, atomic)]),
    file,
  );
}

/** The rows of these movements. */
export function expectCsvRowsOf(
  movements: readonly ExpectedMovement[],
  { chainId, chainName, native, tokens, kinds, addresses }: ExpectedFile,
): string[] {
  const own = new Set(addresses.map((address) => address.toLowerCase()));
  return movements.flatMap((movement) => {
    const direction = directionOf(movement, own);
    if (direction === undefined || kinds?.includes(movement.kind) === false) return [];
    const token = isNative(movement) ? native : tokens.get(movement.contract ?? '');
    return [`${cellsOf({ movement, direction, chainId, chainName, token }).join(',')}\r\n`];
  });
}

/** The recorder's blocks have one import or export of one address at most. */
function expectAtomic({ block: json }: RecordedEvmBlock, atomic: EvmRecording['atomic']): ExpectedMovement[] {
  const { number, timestamp, blockExtraData } = AtomicBlockSchema.parse(json);
  return atomic
    .filter(({ height }) => height === Number(number))
    .map(({ address, amount }) => {
      const isImport = BigInt(amount) > 0n;
      // Behind type, network and own chain.
      const otherChainId = blockExtraData.slice(2 + 2 * 46, 2 + 2 * 78);
      const other = /^0{64}$/.test(otherChainId) ? 'P-chain' : 'X-chain';
      return {
        kind: isImport ? 'IMPORT' : 'EXPORT',
        height: Number(number),
        timestampSeconds: Number(timestamp),
        // The transaction's own bytes behind the codec's version; between them stands how many there are.
        txHash: cb58(sha256(`0x0000${blockExtraData.slice('0x000000000001'.length)}`)),
        txIndex: '',
        position: '',
        from: isImport ? other : address,
        to: isImport ? address : other,
        contract: null,
        tokenId: null,
        amount: isImport ? BigInt(amount) : -BigInt(amount),
        status: 'success',
        methodId: null,
      };
    });
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Of an id that does not begin with a zero. */
function cb58(id: Hex): string {
  let rest = BigInt(id + sha256(id).slice(-8));
  let text = '';
  for (; rest > 0n; rest /= 58n) text = (BASE58[Number(rest % 58n)] ?? '') + text;
  return text;
}

/** Chains of L1s have no such data. */
const AtomicBlockSchema = z.object({
  number: HexSchema,
  timestamp: HexSchema,
  blockExtraData: HexSchema.default('0x'),
});

const NATIVE_KINDS: ReadonlySet<Kind> = new Set(['NATIVE', 'INTERNAL', 'FEE', 'IMPORT', 'EXPORT']);

function isNative({ kind }: ExpectedMovement): boolean {
  return NATIVE_KINDS.has(kind);
}

function directionOf({ from, to }: ExpectedMovement, own: ReadonlySet<string>): string | undefined {
  if (own.has(from) && own.has(to)) return 'SELF';
  if (own.has(from)) return 'OUT';
  return own.has(to) ? 'IN' : undefined;
}

function cellsOf({
  movement,
  direction,
  chainId,
  chainName,
  token = { symbol: null, name: null, decimals: null },
}: {
  movement: ExpectedMovement;
  direction: string;
  chainId: bigint;
  chainName: string;
  token: ExpectedToken | undefined;
}): string[] {
  const { kind, height, timestampSeconds, txHash, txIndex, amount } = movement;
  const isCounted = kind === 'ERC721' || kind === 'ERC1155';
  const decimals = isCounted ? 0 : token.decimals;
  const units = decimals === null ? '' : formatUnits(amount, decimals);
  const time = new Date(timestampSeconds * 1000).toISOString().replace('T', ' ').replace('.000Z', '');
  return [
    ...[
      chainId,
      protect(chainName),
      height,
      timestampSeconds,
      time,
      txHash,
      txIndex,
      movement.position,
      direction,
    ],
    ...[kind, movement.from, movement.to, movement.contract ?? '', protect(token.symbol ?? '')],
    protect(token.name ?? ''),
    ...[token.decimals ?? '', movement.tokenId ?? '', amount, units],
    ...(kind === 'FEE' && direction !== 'IN' ? [amount, units] : ['', '']),
    ...[movement.status, movement.methodId ?? ''],
  ].map(String);
}

/** No formula for a spreadsheet, and one cell whatever is in it (RFC 4180). */
function protect(text: string): string {
  const [start = ''] = text.trimStart();
  const isFormula = start !== '' && '=+-@\uff1d\uff0b\uff0d\uff20'.includes(start);
  const cell = isFormula ? `'${text}` : text;
  const needsQuotes = [...'",\r\n'].some((character) => cell.includes(character)) || cell !== cell.trim();
  return needsQuotes ? `"${cell.replaceAll('"', '""')}"` : cell;
}
