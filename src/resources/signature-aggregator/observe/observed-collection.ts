import type {
  ObservedAnswer,
  ValidatorAnswer,
} from '../../../avalanche/signature-aggregation/collection-request.js';
import type { CanonicalValidatorSet } from '../../../avalanche/warp/canonical-validator-set.js';

/** One validator's part in a collection, with times of this process in milliseconds. */
export interface CollectedOutcome {
  readonly nodeId: string;
  readonly answeredAtMs?: number;
  readonly latencyMs?: number;
  /** Of a signature that was verified. */
  readonly signedAtMs?: number;
  readonly wrongKeyAtMs?: number;
  readonly refusal?: { readonly atMs: number; readonly text: string; readonly isOwn: boolean };
}

/** Refusals that are no sign of a fault of the validator. */
const NOT_ITS_DOING: ReadonlySet<ValidatorAnswer> = new Set([
  'aborted',
  'not_connected',
  'too_many_requests',
]);
/** A message that nobody signs is refused, or met with silence, because of the message. */
const OF_THE_MESSAGE: ReadonlySet<ValidatorAnswer> = new Set(['app_error', 'empty', 'timed_out']);

/** With less of the weight than this part, nobody has signed who counts. */
const SIGNED_PART = 20n;

/** Whether the message may have been made up: hardly anybody has signed, who may be its author. */
export function isUnknownMessage(weight: { signedWeight: bigint; totalWeight: bigint }): boolean {
  return SIGNED_PART * weight.signedWeight < weight.totalWeight;
}

/** Observations of the validators that a collection asks. */
export class ObservedCollection {
  private readonly answers: { readonly answer: ObservedAnswer; readonly atMs: number }[] = [];
  private readonly signedAtMs = new Map<number, number>();

  constructor(private readonly set: CanonicalValidatorSet) {}

  note(answer: ObservedAnswer): void {
    if (!NOT_ITS_DOING.has(answer.kind)) this.answers.push({ answer, atMs: performance.now() });
  }

  /** Entries whose signatures were verified; those that did not answer in this collection have signed before it. */
  signed(indexes: Iterable<number>): void {
    for (const index of indexes) this.signedAtMs.set(index, performance.now());
  }

  outcomes(): CollectedOutcome[] {
    const { totalWeight, validators } = this.set;
    const weights = [...this.signedAtMs.keys()].map((index) => validators[index]?.weight ?? 0n);
    const signedWeight = weights.reduce((sum, weight) => sum + weight, 0n);
    const isSigned = !isUnknownMessage({ signedWeight, totalWeight });
    const wrong = new Set(
      this.answers.flatMap(({ answer }) => (answer.kind === 'wrong_signature' ? [answer.nodeId] : [])),
    );
    return this.answers.map(({ answer, atMs }): CollectedOutcome => {
      const { kind, nodeId, index, text, isFinal, elapsedMs = 0 } = answer;
      switch (kind) {
        case 'signature': {
          const signedAtMs = wrong.has(nodeId) ? undefined : this.signedAtMs.get(index);
          const answered = { nodeId, answeredAtMs: atMs, latencyMs: Math.round(elapsedMs) };
          return signedAtMs === undefined ? answered : Object.assign(answered, { signedAtMs });
        }
        case 'wrong_signature':
          return { nodeId, wrongKeyAtMs: atMs };
        default:
          return { nodeId, refusal: { atMs, text, isOwn: isFinal || isSigned || !OF_THE_MESSAGE.has(kind) } };
      }
    });
  }
}
