import { z } from 'zod';
import { orBareKind } from './bare-kinds.js';
import { DelayMs } from './behaviour.js';
import { HeightSchema } from './common-misconduct.js';

const MAX_LAG_BLOCKS = 1_000_000;
const DEFAULT_IRRELEVANT_CONTAINERS = 2_000;

/**
 * How a simulated validator serves its chains to those who bootstrap from it. Everything but `honest` and `stale` is a fault to be
 * survived.
 */
const ChainBehaviourSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('honest') }),
  /** Never answers. */
  z.strictObject({ kind: z.literal('silent') }),
  /** Answers correctly, that much later; one request after the other. */
  z.strictObject({ kind: z.literal('slow'), delayMs: DelayMs }),
  /** Takes one request in so much time and is silent to the others. */
  z.strictObject({ kind: z.literal('throttled'), everyMs: DelayMs }),
  /** Has not heard of the last blocks. */
  z.strictObject({ kind: z.literal('stale'), lagBlocks: z.number().int().min(1).max(MAX_LAG_BLOCKS) }),
  /** Knows what is accepted and has no container: no ancestors of any. */
  z.strictObject({ kind: z.literal('empty') }),
  /** Has lost the blocks of these heights, both included: its ancestors end above them. */
  z.strictObject({ kind: z.literal('hole'), fromHeight: HeightSchema, toHeight: HeightSchema }),
  /** The container in the middle of ancestors is another one of the same chain. */
  z.strictObject({ kind: z.literal('broken-link') }),
  /** One byte of every container is changed, so that it has another id and can still be read. */
  z.strictObject({ kind: z.literal('forged') }),
  /** Envelopes with another signature, which their ids do not cover. */
  z.strictObject({ kind: z.literal('changed-signature') }),
  /** Behind the ancestors follow so many containers of one byte; 2000 unless given, with which there are more than nodes may send. */
  z.strictObject({
    kind: z.literal('endless'),
    containers: z.number().int().min(1).max(10_000).default(DEFAULT_IRRELEVANT_CONTAINERS),
  }),
  /** Has accepted whatever it is asked about, and a last block far above the others that nobody has; all such liars name the same. */
  z.strictObject({ kind: z.literal('lying-frontier') }),
]);

export type ChainBehaviour = z.output<typeof ChainBehaviourSchema>;

type FullInput = z.input<typeof ChainBehaviourSchema>;

/** Kinds that need nothing beside their name. */
type PlainKind = Exclude<FullInput['kind'], 'slow' | 'throttled' | 'stale' | 'hole'>;

export type ChainBehaviourInput = FullInput | PlainKind;

export const ChainBehaviourInputSchema = orBareKind(ChainBehaviourSchema);

/** Throws ZodError. */
export function parseChainBehaviour(input: ChainBehaviourInput): ChainBehaviour {
  return ChainBehaviourInputSchema.parse(input);
}
