import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { BoundedMap } from '../../avalanche/bounded-map.js';
import { inTime } from '../../platform/in-time.js';
import { LEASE_MS, Leases, withoutLease } from './leases.js';
import { MemorySpending } from './memory-spending.js';
import { areEqual, type Limits, type Verdict, verdictOf } from './rate-limit.js';
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
  readonly limits: Limits;
  readonly verdict: Verdict;
  readonly untilMs: number;
}

/** Of who only gives back. */
const NOTHING = { cost: 1, limits: { perMinute: 0, perDay: 0 } } as const;

/**
 * Holds callers to their limits, exactly and across all processes: Postgres counts. One statement at a time is under way, and takes along
 * all that has come in while the one before was; for callers with many requests it also takes a lease, from which the next ones are paid
 * without asking. When Postgres is away, this process counts by itself.
 */
@Injectable()
export class RateLimiter implements BeforeApplicationShutdown {
  private readonly logger = new Logger(RateLimiter.name);
  private readonly memory = new MemorySpending();
  private readonly leases = new Leases();
  private readonly refusals = new BoundedMap<string, Refusal>(MAX_REMEMBERED_REFUSALS);
  private waiting: Waiting[] = [];
  /** Subjects whose leases are over. */
  private over: string[] = [];
  private working: Promise<void> | undefined;
  private sweeping: NodeJS.Timeout | undefined;
  private askAgainAtMs = 0;

  constructor(private readonly spending: SpendingRepository) {}

  spend(subject: string, cost: number, limits: Limits): Promise<Verdict> {
    const known = this.knownRefusal(subject, cost, limits) ?? this.leases.spend(subject, cost, limits);
    this.sweeping ??= setTimeout(() => this.sweep(), LEASE_MS);
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((settle) => this.wait({ subject, cost, limits, settle }));
  }

  /** While there is a connection to Postgres: what is not given back is lost to its owner until the day ends. */
  async beforeApplicationShutdown(): Promise<void> {
    clearTimeout(this.sweeping);
    this.over = this.leases.subjects();
    await this.work();
  }

  private wait(request: Waiting): void {
    this.waiting.push(request);
    void this.work();
  }

  /** Gives back what is left of leases that are over. */
  private sweep(): void {
    this.over = this.leases.over();
    this.sweeping = this.leases.isEmpty ? undefined : setTimeout(() => this.sweep(), LEASE_MS);
    if (this.over.length > 0) void this.work();
  }

  private work(): Promise<void> {
    this.working ??= this.ask();
    return this.working;
  }

  private async ask(): Promise<void> {
    // Requests that arrive with the same event of the network go along.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.length + this.over.length > 0) await this.askOnce();
    this.working = undefined;
  }

  private async askOnce(): Promise<void> {
    const groups = this.nextGroups();
    const askedAtMs = performance.now();
    const asked = [...groups].map(([subject, requests]) => this.toAsked(subject, requests));
    for (const one of await this.decide(asked)) {
      const requests = groups.get(one.subject) ?? [];
      const [first] = requests;
      if (one.units > 0 && first !== undefined) {
        this.leases.keep(one.subject, one, { limits: first.limits, askedAtMs });
      }
      this.settle(requests, one);
    }
  }

  /**
   * By subject, requests of one cost and plan, and none for subjects that only give back; the others of that subject wait for the next
   * turn.
   */
  private nextGroups(): Map<string, Waiting[]> {
    const groups = new Map<string, Waiting[]>(this.over.map((subject) => [subject, []]));
    const later: Waiting[] = [];
    for (const request of this.waiting) {
      const group = groups.get(request.subject);
      const first = group?.[0];
      if (group === undefined) groups.set(request.subject, [request]);
      else if (first === undefined || isAlike(first, request)) group.push(request);
      else later.push(request);
    }
    this.over = [];
    this.waiting = later;
    return groups;
  }

  private toAsked(subject: string, requests: readonly Waiting[]): Asked {
    const { cost, limits } = requests[0] ?? NOTHING;
    const wanted = this.leases.wanted(subject, cost);
    return { subject, cost, limits, count: requests.length, wanted, returned: this.leases.take(subject) };
  }

  private async decide(asked: readonly Asked[]): Promise<Granted[]> {
    if (performance.now() >= this.askAgainAtMs) {
      try {
        return await inTime(this.spending.spend(asked), ANSWER_TIMEOUT_MS);
      } catch (error) {
        this.askAgainAtMs = performance.now() + REST_MS;
        this.logger.warn(`limits are counted by this process alone: ${String(error)}`);
      }
    }
    return asked.map((one) => this.memory.spend(one));
  }

  /** The first ones are granted. */
  private settle(requests: readonly Waiting[], one: Granted): void {
    const { granted, heldSeconds } = one;
    const { now, minuteUnits, dayUnits } = withoutLease(one);
    requests.forEach((request, position) => {
      const { subject, cost, limits, settle } = request;
      const isGranted = position < granted;
      // A process may still give back the units that this one needs.
      if (!isGranted && heldSeconds > 0) {
        setTimeout(() => this.wait(request), heldSeconds * 1_000);
        return;
      }
      const behind = isGranted ? (granted - 1 - position) * cost : 0;
      const spent = { now, minuteUnits: minuteUnits - behind, dayUnits: dayUnits - behind };
      const verdict = verdictOf(isGranted, cost, limits, spent);
      if (!isGranted) this.remember(subject, cost, limits, verdict);
      settle(verdict);
    });
  }

  /** No request is refused while units may come back, so the rest of a window no longer grows: until its end Postgres need not be asked. */
  private remember(subject: string, cost: number, limits: Limits, verdict: Verdict): void {
    // Another second, because it was rounded up.
    const untilMs = performance.now() + (verdict.retryAfterSeconds - 1) * 1_000;
    this.refusals.set(subject, { cost, limits, verdict, untilMs });
  }

  /** A refusal does not hold for other limits: a raised plan counts at once. */
  private knownRefusal(subject: string, cost: number, limits: Limits): Verdict | undefined {
    const known = this.refusals.get(subject);
    if (known === undefined || cost < known.cost || !areEqual(limits, known.limits)) return undefined;
    const leftMs = known.untilMs - performance.now();
    if (leftMs <= 0) {
      this.refusals.delete(subject);
      return undefined;
    }
    return { ...known.verdict, retryAfterSeconds: Math.ceil(leftMs / 1_000) + 1 };
  }
}

function isAlike(one: Waiting, other: Waiting): boolean {
  return one.cost === other.cost && areEqual(one.limits, other.limits);
}
