import type { RefusalKind } from './refusal.js';
import type { Asker } from './signing-progress.js';

/** So many of those who refused, the heaviest, are asked again for all of them. */
const SENTINELS = 5;

/** Those who are not asked count as having refused so. */
const UNASKED: RefusalKind = 'unexecuted';

/** Who has refused in a way that time may mend, and how; or is not asked as long as nobody knows the message. */
export interface Refuser {
  readonly asker: Asker;
  readonly kind: RefusalKind;
}

/**
 * A message that most of the weight refuses and nobody signs is either very new or none at all. While it is so, a few heavy
 * validators, the sentinels, are asked again on behalf of all who have refused: a message that will never be signed would otherwise
 * cost thousands of requests, and a new one is signed by all as soon as a sentinel signs it.
 */
export class UnknownMessage {
  private readonly refused = new Set<number>();
  private readonly sentinels = new Set<Asker>();
  private resting: Refuser[] = [];
  /** Entries that rest without having been looked at, the heaviest first. */
  private unasked: readonly number[] = [];
  private refusedWeight = 0n;
  private isSigned = false;

  /** `isPresumed`: before anybody has refused it. */
  constructor(
    private readonly totalWeight: bigint,
    private readonly weightOf: (index: number) => bigint,
    private readonly askersOf: (index: number) => readonly Asker[],
    private readonly isPresumed = false,
  ) {}

  /** Whether only sentinels are asked. */
  get isUnknown(): boolean {
    return !this.isSigned && (this.isPresumed || 2n * this.refusedWeight > this.totalWeight);
  }

  /** Whether it is unknown, and all who are to be asked are. */
  get needsNobody(): boolean {
    return this.isUnknown && this.sentinels.size >= SENTINELS;
  }

  isSentinel(asker: Asker): boolean {
    return this.sentinels.has(asker);
  }

  noteRefusal({ index }: Asker): void {
    if (this.refused.has(index)) return;
    this.refused.add(index);
    this.refusedWeight += this.weightOf(index);
  }

  /** Somebody has signed: the entries of all who rest may be asked again. A light one may sign what a caller has made up with it. */
  noteSignature(asker: Asker, signedWeight: bigint): readonly number[] {
    const isProof = this.sentinels.has(asker) || 20n * signedWeight >= this.totalWeight;
    if (this.isSigned || !isProof) return [];
    this.isSigned = true;
    const woken = [...this.resting.map(({ asker: { index } }) => index), ...this.unasked];
    this.resting = [];
    this.unasked = [];
    this.sentinels.clear();
    return woken;
  }

  rest(refuser: Refuser): void {
    this.resting.push(refuser);
  }

  /** Entries that nobody has been asked of, the heaviest first, rest as if they had refused. */
  leaveUnasked(indexes: readonly number[]): void {
    this.unasked = indexes;
  }

  /** New sentinels for those that are missing. */
  appoint(): readonly Asker[] {
    const missing = SENTINELS - this.sentinels.size;
    if (missing <= 0) return [];
    for (const index of this.unasked.slice(0, missing)) this.restUnasked(index);
    this.unasked = this.unasked.slice(missing);
    this.resting.sort((a, b) => compare(this.weightOf(b.asker.index), this.weightOf(a.asker.index)));
    const appointed = this.resting.splice(0, missing).map(({ asker }) => asker);
    for (const asker of appointed) this.sentinels.add(asker);
    return appointed;
  }

  /** Nothing more is expected of a sentinel. */
  dismiss(asker: Asker): void {
    this.sentinels.delete(asker);
  }

  /** Those who rest and are not worth asking any more. */
  release(isOver: (kind: RefusalKind) => boolean): readonly Asker[] {
    if (isOver(UNASKED)) {
      this.unasked.forEach((index) => this.restUnasked(index));
      this.unasked = [];
    }
    const over = this.resting.filter(({ kind }) => isOver(kind));
    this.resting = this.resting.filter(({ kind }) => !isOver(kind));
    return over.map(({ asker }) => asker);
  }

  private restUnasked(index: number): void {
    for (const asker of this.askersOf(index)) this.resting.push({ asker, kind: UNASKED });
  }
}

function compare(a: bigint, b: bigint): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
