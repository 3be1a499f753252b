import { z } from 'zod';
import { HttpFault, tooManyRequests } from './rpc/endpoint.js';

const DEFAULT_RETRY_AFTER_SECONDS = 1;

export const HeightSchema = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/** Misconduct that every chain of a node supports. */
export const COMMON_BEHAVIOURS = [
  z.strictObject({ kind: z.literal('honest') }),
  /** HTTP 429 with Retry-After. */
  z.strictObject({
    kind: z.literal('tooManyRequests'),
    retryAfterSeconds: z.number().int().min(0).max(3600).default(DEFAULT_RETRY_AFTER_SECONDS),
  }),
  /** Takes the request and never answers. */
  z.strictObject({ kind: z.literal('timeout') }),
  /** Lost its database: only block 0 is there, and the height is 0. */
  z.strictObject({ kind: z.literal('empty') }),
  /** The chain has come that far and no farther. */
  z.strictObject({ kind: z.literal('tip'), height: HeightSchema }),
  /** Announces blocks that it does not give yet, as when another node behind the same address is asked for them. */
  z.strictObject({ kind: z.literal('late'), height: HeightSchema, gives: HeightSchema }),
] as const;

/** One of those, or one of the chain's own. */
interface Behaviour {
  readonly kind: string;
  readonly retryAfterSeconds?: number;
  readonly height?: number;
  readonly gives?: number;
}

/** Lets a node answer that does. Throws HttpFault. */
export function answerOrNot({ kind, retryAfterSeconds = DEFAULT_RETRY_AFTER_SECONDS }: Behaviour): void {
  if (kind === 'timeout') throw new HttpFault('silence');
  if (kind === 'tooManyRequests') throw tooManyRequests(retryAfterSeconds);
}

/** Height of the last block that a node of this behaviour reports, when the chain has come to another. */
export function reportedHeight({ kind, height = Infinity }: Behaviour, last: number): number {
  switch (kind) {
    case 'empty':
      return 0;
    case 'tip':
    case 'late':
      return Math.min(last, height);
    default:
      return last;
  }
}

/** Whether it has a block that it reports. */
export function isGiven({ kind, gives = Infinity }: Behaviour, height: number): boolean {
  return kind !== 'late' || height <= gives;
}
