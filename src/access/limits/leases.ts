import { areEqual, type Limits, type Spent, type Verdict, verdictOf } from './rate-limit.js';
import { MINUTE_SECONDS } from '../../platform/time.js';

/** How long a process spends a lease on its own. */
export const LEASE_MS = 100;
/** Callers with fewer requests in that time gain nothing by a lease. */
const BUSY_REQUESTS = 8;

/** Units that are spent already as far as Postgres is concerned, of the minute and day in which they were taken. */
export interface Lease extends Spent {
  readonly minute: number;
  readonly day: number;
  readonly units: number;
}

/** Units that one subject may spend here without asking, and how fast it spends them. */
class Account {
  lease: Lease | undefined;
  /** Those under which it was granted. */
  limits: Limits | undefined;
  untilMs = 0;
  private period = 0;
  private before = 0;
  private sinceThen = 0;

  note(nowMs: number, cost: number): void {
    const period = Math.floor(nowMs / LEASE_MS);
    if (period !== this.period) {
      this.before = period === this.period + 1 ? this.sinceThen : 0;
      this.sinceThen = 0;
      this.period = period;
    }
    this.sinceThen += cost;
  }

  /** Units of the length of a lease. */
  demand(): number {
    return Math.max(this.before, this.sinceThen);
  }

  isQuiet(nowMs: number): boolean {
    return this.lease === undefined && Math.floor(nowMs / LEASE_MS) > this.period + 1;
  }
}

/** The leases of this process. */
export class Leases {
  private readonly accounts = new Map<string, Account>();

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  get isEmpty(): boolean {
    return this.accounts.size === 0;
  }

  /** Undefined when Postgres has to be asked. */
  spend(subject: string, cost: number, limits: Limits): Verdict | undefined {
    const account = this.accountOf(subject);
    account.note(this.nowMs(), cost);
    const { lease } = account;
    if (lease === undefined || lease.units < cost || this.nowMs() >= account.untilMs) return undefined;
    // Keys of one organisation may have different plans.
    if (account.limits === undefined || !areEqual(account.limits, limits)) return undefined;
    account.lease = { ...lease, units: lease.units - cost };
    return verdictOf(true, cost, limits, withoutLease(account.lease));
  }

  /** The number of units that are worth leasing. */
  wanted(subject: string, cost: number): number {
    const demand = this.accounts.get(subject)?.demand() ?? 0;
    return demand < BUSY_REQUESTS * cost ? 0 : demand;
  }

  /** `askedAtMs`: before Postgres has counted, so that a lease ends here first. */
  keep(subject: string, lease: Lease, { limits, askedAtMs }: { limits: Limits; askedAtMs: number }): void {
    const account = this.accountOf(subject);
    account.lease = lease;
    account.limits = limits;
    const minuteMs = ((lease.minute + 1) * MINUTE_SECONDS - lease.now) * 1_000;
    account.untilMs = askedAtMs + Math.min(LEASE_MS, minuteMs);
  }

  /** To give back what is left of it. */
  take(subject: string): Lease | undefined {
    const account = this.accounts.get(subject);
    const lease = account?.lease;
    if (account !== undefined) account.lease = undefined;
    return lease;
  }

  /** Subjects with leases, or that were active a moment ago. */
  subjects(): string[] {
    return [...this.accounts.keys()];
  }

  /** Whose leases are over. Forgets who has not been heard of. */
  over(): string[] {
    const now = this.nowMs();
    for (const [subject, account] of this.accounts) {
      if (account.isQuiet(now)) this.accounts.delete(subject);
    }
    return [...this.accounts]
      .filter(([, { lease, untilMs }]) => lease !== undefined && now >= untilMs)
      .map(([subject]) => subject);
  }

  private accountOf(subject: string): Account {
    const known = this.accounts.get(subject);
    if (known !== undefined) return known;
    const account = new Account();
    this.accounts.set(subject, account);
    return account;
  }
}

/** As the caller sees it, for whom a lease is no spending. */
export function withoutLease({ units, minuteUnits, dayUnits, now }: Lease): Spent {
  return { minuteUnits: minuteUnits - units, dayUnits: dayUnits - units, now };
}
