import { z } from 'zod';
import { COMMON_BEHAVIOURS, HeightSchema, isGiven as isGivenByAny } from '../common-misconduct.js';
import type { Hash } from '../../src/avalanche/evm/rpc/hex-values.js';
import { RecordedEvmBlockSchema, type RecordedEvmBlock } from '../recording/evm-recording.js';
import { EvmFault } from '../rpc/evm-endpoint.js';

const DAY_SECONDS = 86_400;

const INTERNAL_ERROR = -32_603;
const LIMIT_EXCEEDED = -32_005;

const HeightsSchema = z.array(HeightSchema).max(10_000);
const LimitSchema = z.number().int().min(1).max(1_000_000).default(10_000);

/** How the node serves its C-chain. Everything but `honest`, `tip` and `calendar` is a fault to be survived. */
export const EvmChainBehaviourSchema = z.discriminatedUnion('kind', [
  ...COMMON_BEHAVIOURS,
  /** Times that are none, receipts of other blocks, or (unless said) the former at even heights, the latter at odd ones. */
  z.strictObject({ kind: z.literal('garbage'), form: z.enum(['quantity', 'receipts']).optional() }),
  /** No debug_* methods, like most public nodes. */
  z.strictObject({ kind: z.literal('noTracer') }),
  /** It has thrown the states of these blocks away, and cannot trace them any more. */
  z.strictObject({ kind: z.literal('pruned'), heights: HeightsSchema }),
  /** Its tracer fails at these blocks, with words that say nothing. */
  z.strictObject({ kind: z.literal('tracerCrash'), heights: HeightsSchema }),
  /** It began with the state at this height, and has no blocks before it but the genesis. */
  z.strictObject({ kind: z.literal('stateSynced'), fromHeight: HeightSchema }),
  /** It searches that many blocks for logs at once, and gives that many logs. */
  z.strictObject({ kind: z.literal('logLimits'), maxBlocks: LimitSchema, maxLogs: LimitSchema }),
  /** It leaves the logs of these blocks out when it searches. */
  z.strictObject({ kind: z.literal('forgottenLogs'), heights: HeightsSchema }),
  /** Its search gives other logs than its receipts. */
  z.strictObject({ kind: z.literal('inventedLogs') }),
  /** Another chain from that height on: the same blocks under other hashes. */
  z.strictObject({ kind: z.literal('wrongParent'), fromHeight: HeightSchema.min(1).default(1) }),
  /**
   * As though only so many blocks had been made a day: the last ones at their own times, those before them whole days
   * earlier. Hashes stay.
   */
  z.strictObject({ kind: z.literal('calendar'), blocksPerDay: z.number().int().min(1).max(1_000_000) }),
]);

export type EvmChainBehaviour = z.output<typeof EvmChainBehaviourSchema>;
export type EvmChainBehaviourInput = z.input<typeof EvmChainBehaviourSchema>;

/** Whether it has a block that it tells of. */
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

/** What a node of this behaviour finds in a block. */
export function searchedLogs(
  behaviour: EvmChainBehaviour,
  height: number,
  receipts: RecordedEvmBlock['receipts'],
): RecordedEvmBlock['receipts'][number]['logs'] {
  if (behaviour.kind === 'forgottenLogs' && behaviour.heights.includes(height)) return [];
  const logs = receipts.flatMap((receipt) => receipt.logs);
  return behaviour.kind === 'inventedLogs' ? logs.map((log) => ({ ...log, data: '0x' })) : logs;
}

/** The block as a node of this behaviour shows it. */
export function distort(
  behaviour: EvmChainBehaviour,
  height: number,
  recorded: readonly RecordedEvmBlock[],
): RecordedEvmBlock | undefined {
  const block = recorded[height];
  if (block === undefined) return undefined;
  switch (behaviour.kind) {
    case 'garbage':
      return makeGarbage(block, behaviour.form ?? (height % 2 === 0 ? 'quantity' : 'receipts'));
    case 'wrongParent':
      return withOtherHashes(block, hashesFrom(recorded, behaviour.fromHeight));
    case 'calendar':
      return withEarlierTime(block, Math.floor((recorded.length - 1 - height) / behaviour.blocksPerDay));
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

function withEarlierTime(recorded: RecordedEvmBlock, days: number): RecordedEvmBlock {
  const { block } = recorded;
  if (Number(block.number) === 0) return recorded; // the genesis is years older
  const timestamp = Number(block.timestamp) - days * DAY_SECONDS;
  return { ...recorded, block: { ...block, timestamp: `0x${timestamp.toString(16)}` } };
}

function hashesFrom(recorded: readonly RecordedEvmBlock[], fromHeight: number): ReadonlySet<string> {
  return new Set(recorded.slice(fromHeight).map(({ block }) => block.hash));
}

/** Other hashes wherever those stand: in the block, as its parent, in transactions, receipts and logs. */
function withOtherHashes(recorded: RecordedEvmBlock, hashes: ReadonlySet<string>): RecordedEvmBlock {
  const text = JSON.stringify(recorded, (_key, value: unknown) =>
    typeof value === 'string' && hashes.has(value) ? otherHash(value) : value,
  );
  return RecordedEvmBlockSchema.parse(JSON.parse(text));
}

/** Its own inverse. */
function otherHash(hash: string): Hash {
  const digits = [...hash.slice(2)].map((digit) => (15 - Number.parseInt(digit, 16)).toString(16));
  return `0x${digits.join('')}`;
}
