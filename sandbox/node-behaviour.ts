import { z } from 'zod';
import { MAX_DELAY_MS } from './behaviour.js';

const MAX_LAG_BLOCKS = 1_000;
const MAX_BACKENDS = 100;
const MAX_METHODS = 100;

const DelaySchema = z.number().int().min(0).max(MAX_DELAY_MS);
/** Of JSON-RPC, e.g. `info.peers` or `eth_getLogs`. */
const MethodSchema = z.string().min(1).max(100);

/** From the parameters of a call. Throws RpcFault, EvmFault, HttpFault. */
const AnswerSchema = z.custom<(params: unknown) => unknown>((value) => typeof value === 'function');

const BackendSchema = z.strictObject({
  /** Blocks of the P-chain that this node has not yet heard of. */
  lagBlocks: z.number().int().min(0).max(MAX_LAG_BLOCKS).default(0),
  /** Restarted a moment ago: its proposed height is its tip (avalanchego v1.15.0 vms/platformvm/validators/manager.go). */
  proposesTip: z.boolean().default(false),
});

/** How the node's JSON-RPC answers those who ask for much, or from far away. Everything is off by default; `{}` is a node on loopback. */
export const NodeBehaviourSchema = z.strictObject({
  /** Of every answer. */
  delayMs: DelaySchema.default(0),
  /** Additional delay of a method's calls. */
  slowMethods: z.record(MethodSchema, DelaySchema).default({}),
  /** Rate above which calls are answered with HTTP 429 and Retry-After; 0 for no limit. As many may come at once. */
  requestsPerSecond: z.number().min(0).max(1_000_000).default(0),
  /** Every so manieth request fails: 1 is each, 2 every other; 0 none. */
  failEvery: z.number().int().min(0).max(1_000_000).default(0),
  /** How: with HTTP 503, with HTTP 429 and Retry-After, or without any answer. */
  failure: z.enum(['unavailable', 'tooManyRequests', 'timeout']).default('unavailable'),
  /** Methods, or services such as `index` (HTTP 404), that it does not offer, as public nodes do not offer all. */
  without: z.array(MethodSchema).max(MAX_METHODS).default([]),
  /** Results of methods whatever the chains are: those of another network or version, or nonsense. In the same process also made anew. */
  answers: z.record(MethodSchema, z.union([AnswerSchema, z.json()])).default({}),
  /** Nodes behind one address, which answer in turn. */
  backends: z
    .array(BackendSchema)
    .min(1)
    .max(MAX_BACKENDS)
    .default([BackendSchema.parse({})]),
});

export type NodeBehaviour = z.output<typeof NodeBehaviourSchema>;
export type NodeBehaviourInput = z.input<typeof NodeBehaviourSchema>;
