import { z } from 'zod';
import { orBareKind } from './bare-kinds.js';

/** Longest time a misbehaviour may ask for; a sandbox must not hang forever because of a typing error. */
export const MAX_DELAY_MS = 600_000;

export const DelayMs = z.number().int().min(0).max(MAX_DELAY_MS);

/** How a simulated validator treats those who connect to it. Everything but `honest` is a fault to be survived. */
const BehaviourSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('honest') }),
  /** Answers correctly, that much later. */
  z.strictObject({ kind: z.literal('slow'), delayMs: DelayMs }),
  /** Stays connected and never answers a request. */
  z.strictObject({ kind: z.literal('silent') }),
  /** Its own valid signature, of another message. */
  z.strictObject({ kind: z.literal('wrong-signature') }),
  /** The point at infinity, which parses but verifies nothing. */
  z.strictObject({ kind: z.literal('infinity-signature') }),
  /** Random bytes instead of a signature: 96, 1, 95, 97 and 0 in turn unless a length is given. */
  z.strictObject({ kind: z.literal('garbage'), length: z.number().int().min(0).max(1_000_000).optional() }),
  /** On a request: messages that are none, then the header of a frame of 4 GiB. */
  z.strictObject({ kind: z.literal('garbage-frames') }),
  /** On a request: megabytes of messages nobody asked for, then the answer. */
  z.strictObject({ kind: z.literal('flood'), messages: z.number().int().min(1).max(100_000).optional() }),
  /** Honest, and gossips to its clients all the time, in pieces of 64 KiB. No node takes more than 512 KiB a second from another. */
  z.strictObject({ kind: z.literal('gossip'), bytesPerSecond: z.number().int().min(1).max(100_000_000) }),
  /** Closes the connection on a request. */
  z.strictObject({ kind: z.literal('disconnect') }),
  /** Answers requests with this error; honest again after so many, or after that time. */
  z.strictObject({
    kind: z.literal('refuse'),
    code: z
      .number()
      .int()
      .min(-(2 ** 31))
      .max(2 ** 31 - 1),
    message: z.string().max(100_000),
    times: z.number().int().min(1).optional(),
    forMs: DelayMs.optional(),
  }),
  /** Takes connections and closes them at once, those that exist too. */
  z.strictObject({ kind: z.literal('refuse-connections') }),
  /** Its port is closed, and so are its connections. */
  z.strictObject({ kind: z.literal('not-listening') }),
  /** Takes one connection in so much time and closes all others before TLS, as nodes do with those from one address. */
  z.strictObject({ kind: z.literal('throttle'), everyMs: DelayMs }),
  /** Takes connections and never sends anything, on those that exist neither. */
  z.strictObject({ kind: z.literal('black-hole') }),
]);

export type Behaviour = z.infer<typeof BehaviourSchema>;

/** Kinds without options. */
type PlainBehaviour = Exclude<Behaviour['kind'], 'slow' | 'refuse' | 'throttle' | 'gossip'>;

export type BehaviourInput = Behaviour | PlainBehaviour;

export const BehaviourInputSchema = orBareKind(BehaviourSchema);

/** Throws ZodError. */
export function parseBehaviour(input: BehaviourInput): Behaviour {
  return BehaviourInputSchema.parse(input);
}

/**
 * Whether the node and the other validators are connected to a validator that behaves so, and announce its address. To a black hole they
 * are: it is one for strangers, as behind a firewall that lets nobody in, and has dialled them itself.
 */
export function isReachable(behaviour: Behaviour): boolean {
  return behaviour.kind !== 'refuse-connections' && behaviour.kind !== 'not-listening';
}
