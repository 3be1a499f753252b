import { Injectable, Logger } from '@nestjs/common';
import { MemorySpending } from './memory-spending.js';
import { type Limits, type Verdict, verdictOf } from './rate-limit.js';
import { type Asked, type Granted, SpendingRepository } from './spending.repository.js';

/** Longer than Postgres takes on a machine that is busy; each process by itself lets more through than all together may. */
const ANSWER_TIMEOUT_MS = 5_000;
/** How long Postgres is not asked after it was away. */
const REST_MS = 2_000;
const MAX_REMEMBERED_REFUSALS = 10_000;

interface Waiting {
  readonly subject: string;
  readonly cost: number;
  readonly limits: Limits;
  readonly settle: (verdict: Verdict) => void;
}

interface Refusal {
  readonly cost: number;
  readonly verdict: Verdict;
  readonly untilMs: number;
}

/**
 * Holds callers to their limits, exactly and across all processes: Postgres counts. One statement at a time is under way, and takes
 * along all that has come in while the one before was: so the busier the process, the less a request costs it. When Postgres is
 * away, this process counts by itself.
 */
@Injectable()
export class RateLimiter {
  private readonly logger = new Logger(RateLimiter.name);
  private readonly memory = new MemorySpending();
  private readonly refusals = new Map<string, Refusal>();
  private waiting: Waiting[] = [];
  private isBusy = false;
  private askAgainAtMs = 0;

  constructor(private readonly spending: SpendingRepository) {}

  spend(subject: string, cost: number, limits: Limits): Promise<Verdict> {
    const refused = this.knownRefusal(subject, cost);
    if (refused !== undefined) return Promise.resolve(refused);
    return new Promise((settle) => {
      this.waiting.push({ subject, cost, limits, settle });
      if (!this.isBusy) void this.work();
    });
  }

  private async work(): Promise<void> {
    this.isBusy = true;
    // What arrives with the same event of the network goes along.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0) {
      const groups = this.nextGroups();
      const granted = await this.decide([...groups.values()].map(toAsked));
      for (const one of granted) this.settle(groups.get(one.subject) ?? [], one);
    }
    this.isBusy = false;
  }

  /** By subject, requests of one cost; the others of that subject wait for the next turn. */
  private nextGroups(): Map<string, Waiting[]> {
    const groups = new Map<string, Waiting[]>();
    const later: Waiting[] = [];
    for (const request of this.waiting) {
      const group = groups.get(request.subject);
      if (group === undefined) groups.set(request.subject, [request]);
      else if (group[0]?.cost === request.cost) group.push(request);
      else later.push(request);
    }
    this.waiting = later;
    return groups;
  }

  private async decide(asked: readonly Asked[]): Promise<Granted[]> {
    if (performance.now() >= this.askAgainAtMs) {
      try {
        return await inTime(this.spending.spend(asked));
      } catch (error) {
        this.askAgainAtMs = performance.now() + REST_MS;
        this.logger.warn(`limits are counted by this process alone: ${String(error)}`);
      }
    }
    return asked.map((one) => this.memory.spend(one));
  }

  /** The first ones are granted. */
  private settle(requests: readonly Waiting[], { granted, ...spent }: Granted): void {
    requests.forEach(({ subject, cost, limits, settle }, position) => {
      const isGranted = position < granted;
      const behind = isGranted ? (granted - 1 - position) * cost : 0;
      const verdict = verdictOf(isGranted, cost, limits, {
        now: spent.now,
        minuteUnits: spent.minuteUnits - behind,
        dayUnits: spent.dayUnits - behind,
      });
      if (!isGranted) this.remember(subject, cost, verdict);
      settle(verdict);
    });
  }

  /** What is left of a window never grows: until its end nobody need be asked. */
  private remember(subject: string, cost: number, verdict: Verdict): void {
    if (this.refusals.size >= MAX_REMEMBERED_REFUSALS) this.refusals.clear();
    // Another second, because it was rounded up.
    const untilMs = performance.now() + (verdict.retryAfterSeconds - 1) * 1_000;
    this.refusals.set(subject, { cost, verdict, untilMs });
  }

  private knownRefusal(subject: string, cost: number): Verdict | undefined {
    const known = this.refusals.get(subject);
    if (known === undefined || cost < known.cost) return undefined;
    const leftMs = known.untilMs - performance.now();
    if (leftMs <= 0) {
      this.refusals.delete(subject);
      return undefined;
    }
    return { ...known.verdict, retryAfterSeconds: Math.ceil(leftMs / 1_000) + 1 };
  }
}

function toAsked(requests: readonly Waiting[]): Asked {
  const [first] = requests;
  if (first === undefined) throw new Error('nobody asks');
  const { subject, cost, limits } = first;
  return { subject, cost, limits, count: requests.length };
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    // Behind what has arrived while this process was busy, which may be the answer.
    const giveUp = (): unknown => setImmediate(() => reject(new Error('no answer in time')));
    timer = setTimeout(giveUp, ANSWER_TIMEOUT_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
