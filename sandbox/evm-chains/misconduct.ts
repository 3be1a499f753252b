import { z } from 'zod';
import { COMMON_BEHAVIOURS, HeightSchema, isGiven as isGivenByAny } from '../common-misconduct.js';
import { encodeHeader } from '../../src/avalanche/evm/commitments/encodings.js';
import { keccak256, toHash } from '../../src/avalanche/evm/commitments/keccak.js';
import type { Hash } from '../../src/avalanche/evm/rpc/hex-values.js';
import type { RecordedEvmBlock } from '../recording/evm-recording.js';
import { EvmFault } from '../rpc/evm-endpoint.js';

const DAY_SECONDS = 86_400;

const INTERNAL_ERROR = -32_603;
const LIMIT_EXCEEDED = -32_005;

const HeightsSchema = z.array(HeightSchema).max(10_000);
const LimitSchema = z.number().int().min(1).max(1_000_000).default(10_000);

/** How the node serves its C-chain. Everything but `honest`, `tip` and `calendar` is a fault to be survived. */
export const EvmChainBehaviourSchema = z.discriminatedUnion('kind', [
  ...COMMON_BEHAVIOURS,
  /** Times that are none, receipts of other blocks, or (by default) the former at even heights, the latter at odd ones. */
  z.strictObject({ kind: z.literal('garbage'), form: z.enum(['quantity', 'receipts']).optional() }),
  /** No debug_* methods, like most public nodes. */
  z.strictObject({ kind: z.literal('noTracer') }),
  /** It has thrown the states of these blocks away, and cannot trace them any more. */
  z.strictObject({ kind: z.literal('pruned'), heights: HeightsSchema }),
  /** Its tracer fails at these blocks, without a reason. */
  z.strictObject({ kind: z.literal('tracerCrash'), heights: HeightsSchema }),
  /** It began with the state at this height, and has no blocks before it but the genesis. */
  z.strictObject({ kind: z.literal('stateSynced'), fromHeight: HeightSchema }),
  /** It searches that many blocks for logs at once, and gives that many logs. */
  z.strictObject({ kind: z.literal('logLimits'), maxBlocks: LimitSchema, maxLogs: LimitSchema }),
  /** It leaves the logs of these blocks out when it searches. */
  z.strictObject({ kind: z.literal('forgottenLogs'), heights: HeightsSchema }),
  /** Its search gives other logs than its receipts. */
  z.strictObject({ kind: z.literal('inventedLogs') }),
  /** Its receipts of these blocks lack the last log, or have another amount in it. */
  z.strictObject({
    kind: z.literal('wrongLogs'),
    form: z.enum(['truncated', 'altered']),
    heights: HeightsSchema,
  }),
  /** Another chain from that height on: the same blocks under other hashes. */
  z.strictObject({ kind: z.literal('wrongParent'), fromHeight: HeightSchema.min(1).default(1) }),
  /**
   * As though only so many blocks had been made a day: the last ones at their own times, those before them whole days
   * earlier, and all under hashes of their own.
   */
  z.strictObject({ kind: z.literal('calendar'), blocksPerDay: z.number().int().min(1).max(1_000_000) }),
]);

export type EvmChainBehaviour = z.output<typeof EvmChainBehaviourSchema>;
export type EvmChainBehaviourInput = z.input<typeof EvmChainBehaviourSchema>;

/** Whether it has a block that it reports. */
export function isGiven(behaviour: EvmChainBehaviour, height: number): boolean {
  if (behaviour.kind === 'stateSynced') return height === 0 || height >= behaviour.fromHeight;
  return isGivenByAny(behaviour, height);
}

/** Throws EvmFault for a block that a node of this behaviour cannot trace. */
export function assertTraceable(behaviour: EvmChainBehaviour, height: number): void {
  if (behaviour.kind === 'pruned' && behaviour.heights.includes(height)) {
    throw new EvmFault('missing trie node 0xab (path )');
  }
  if (behaviour.kind === 'tracerCrash' && behaviour.heights.includes(height)) {
    throw new EvmFault('method handler crashed', INTERNAL_ERROR);
  }
}

/** Throws EvmFault for heights that a node of this behaviour does not search for logs. */
export function assertSearched(behaviour: EvmChainBehaviour, from: number, to: number): void {
  if (behaviour.kind === 'late' && to > behaviour.gives) {
    throw new EvmFault('cannot query unfinalized data');
  }
  if (behaviour.kind === 'logLimits' && to - from + 1 > behaviour.maxBlocks) {
    throw new EvmFault(
      `requested too many blocks from ${from} to ${to}, maximum is set to ${behaviour.maxBlocks}`,
    );
  }
}

/** Throws EvmFault for more logs than a node of this behaviour gives. */
export function assertFew(behaviour: EvmChainBehaviour, logs: number): void {
  if (behaviour.kind === 'logLimits' && logs > behaviour.maxLogs) {
    throw new EvmFault(`query returned more than ${behaviour.maxLogs} results`, LIMIT_EXCEEDED);
  }
}

/** The block as a node of this behaviour serves it. */
export function searchedLogs(
  behaviour: EvmChainBehaviour,
  height: number,
  receipts: RecordedEvmBlock['receipts'],
): RecordedEvmBlock['receipts'][number]['logs'] {
  if (behaviour.kind === 'forgottenLogs' && behaviour.heights.includes(height)) return [];
  const logs = receipts.flatMap((receipt) => receipt.logs);
  return behaviour.kind === 'inventedLogs' ? logs.map((log) => ({ ...log, data: '0x' })) : logs;
}

/** The chain that a node of this behaviour is on. */
export function chainOf(
  behaviour: EvmChainBehaviour,
  recorded: readonly RecordedEvmBlock[],
): readonly RecordedEvmBlock[] {
  switch (behaviour.kind) {
    case 'wrongParent':
      return withHeaders(recorded, (header, height) =>
        height < behaviour.fromHeight
          ? header
          : { ...header, mixHash: OTHER_MIX, hash: otherHash(header.hash) },
      );
    case 'calendar':
      return withHeaders(recorded, (header, height) =>
        withEarlierTime(header, Math.floor((recorded.length - 1 - height) / behaviour.blocksPerDay)),
      );
    default:
      return recorded;
  }
}

/** A block of that chain as a node of this behaviour shows it. */
export function distort(
  behaviour: EvmChainBehaviour,
  height: number,
  block: RecordedEvmBlock | undefined,
): RecordedEvmBlock | undefined {
  if (block === undefined) return undefined;
  switch (behaviour.kind) {
    case 'garbage':
      return makeGarbage(block, behaviour.form ?? (height % 2 === 0 ? 'quantity' : 'receipts'));
    case 'wrongLogs':
      return behaviour.heights.includes(height) ? withWrongLog(block, behaviour.form) : block;
    default:
      return block;
  }
}

function makeGarbage(recorded: RecordedEvmBlock, form: 'quantity' | 'receipts'): RecordedEvmBlock {
  const { block, receipts } = recorded;
  return form === 'quantity'
    ? { ...recorded, block: { ...block, timestamp: '0x' } }
    : { ...recorded, receipts: receipts.map((receipt) => ({ ...receipt, blockHash: block.parentHash })) };
}

type Header = RecordedEvmBlock['block'];

/** Anything but the zeros that blocks have there. */
const OTHER_MIX: Hash = `0x${'0'.repeat(63)}1`;

function withEarlierTime(header: Header, days: number): Header {
  if (Number(header.number) === 0) return header; // the genesis is years older
  const timestamp = Number(header.timestamp) - days * DAY_SECONDS;
  return { ...header, timestamp: `0x${timestamp.toString(16)}` };
}

/** The last log of the last transaction that has any, gone or with other data. */
function withWrongLog(recorded: RecordedEvmBlock, form: 'truncated' | 'altered'): RecordedEvmBlock {
  const at = recorded.receipts.findLastIndex(({ logs }) => logs.length > 0);
  const receipts = recorded.receipts.map((receipt, index) => {
    const last = receipt.logs.at(-1);
    if (index !== at || last === undefined) return receipt;
    const kept = receipt.logs.slice(0, -1);
    const data = `0x${'0'.repeat(63)}1`;
    return { ...receipt, logs: form === 'truncated' ? kept : [...kept, { ...last, data }] };
  });
  return { ...recorded, receipts };
}

/**
 * The chain with other headers: each follows the one before, and has its own hash where that can be made, wherever hashes stand: in the
 * block, its transactions, receipts and logs. A made-up header has the hash that is given.
 */
function withHeaders(
  recorded: readonly RecordedEvmBlock[],
  change: (header: Header, height: number) => Header,
): readonly RecordedEvmBlock[] {
  const hashes = new Map<unknown, Hash>();
  return recorded.map((each, height) => {
    const { parentHash } = each.block;
    const header = { ...change(each.block, height), parentHash: hashes.get(parentHash) ?? parentHash };
    const encoded = encodeHeader(header);
    const hash = encoded === undefined ? header.hash : toHash(keccak256(encoded));
    hashes.set(each.block.hash, hash);
    return underHash({ ...each, block: header }, hash);
  });
}

function underHash({ block, receipts, traces }: RecordedEvmBlock, blockHash: Hash): RecordedEvmBlock {
  return {
    block: {
      ...block,
      hash: blockHash,
      transactions: block.transactions.map((each) => ({ ...each, blockHash })),
    },
    receipts: receipts.map((receipt) => ({
      ...receipt,
      blockHash,
      logs: receipt.logs.map((log) => ({ ...log, blockHash })),
    })),
    traces,
  };
}

/** Its own inverse. */
function otherHash(hash: string): Hash {
  const digits = [...hash.slice(2)].map((digit) => (15 - Number.parseInt(digit, 16)).toString(16));
  return `0x${digits.join('')}`;
}
