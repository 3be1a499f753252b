import { z } from 'zod';

const MAX_DELAY_MS = 600_000;
const MAX_LAG_BLOCKS = 1_000;
const MAX_BACKENDS = 100;

const BackendSchema = z.strictObject({
  /** Blocks of the P-chain that this node has not yet heard of. */
  lagBlocks: z.number().int().min(0).max(MAX_LAG_BLOCKS).default(0),
  /** Restarted a moment ago: its proposed height is its tip (avalanchego v1.15.0 vms/platformvm/validators/manager.go). */
  proposesTip: z.boolean().default(false),
});

/**
 * How the node's JSON-RPC answers those who ask for much, or from far away. Everything is off unless said; `{}` is a node on
 * loopback.
 */
export const NodeBehaviourSchema = z.strictObject({
  /** Of every answer. */
  delayMs: z.number().int().min(0).max(MAX_DELAY_MS).default(0),
  /** What is beyond is answered with HTTP 429 and Retry-After; 0 for no limit. As many may come at once. */
  requestsPerSecond: z.number().min(0).max(1_000_000).default(0),
  /** Every so manieth request is answered with HTTP 503: 1 is each, 2 every other; 0 none. */
  failEvery: z.number().int().min(0).max(1_000_000).default(0),
  /** Nodes behind one address, which answer in turn. */
  backends: z
    .array(BackendSchema)
    .min(1)
    .max(MAX_BACKENDS)
    .default([BackendSchema.parse({})]),
});

export type NodeBehaviour = z.output<typeof NodeBehaviourSchema>;
export type NodeBehaviourInput = z.input<typeof NodeBehaviourSchema>;
