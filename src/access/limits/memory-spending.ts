import type { Asked, Granted } from './spending.repository.js';
import { DAY_SECONDS, MINUTE_SECONDS } from '../../platform/time.js';

/** Beyond that everything is forgotten: memory is dearer than what is let through by it. */
const MAX_SUBJECTS = 10_000;

interface Windows {
  minute: number;
  minuteUnits: number;
  day: number;
  dayUnits: number;
}

/** Limits that this process enforces by itself while Postgres is away. */
export class MemorySpending {
  private readonly windows = new Map<string, Windows>();

  constructor(private readonly nowSeconds: () => number = () => Date.now() / 1000) {}

  spend({ subject, cost, count, limits }: Asked): Granted {
    const now = this.nowSeconds();
    const { minute, minuteUnits, day, dayUnits } = this.windowsOf(subject, now);
    const left = Math.min(limits.perMinute - minuteUnits, limits.perDay - dayUnits);
    const granted = Math.max(0, Math.min(count, Math.floor(left / cost)));
    const spent = { minuteUnits: minuteUnits + granted * cost, dayUnits: dayUnits + granted * cost };
    if (this.windows.size >= MAX_SUBJECTS) this.windows.clear();
    this.windows.set(subject, { minute, day, ...spent });
    return { subject, granted, minute, day, ...spent, now, units: 0, heldSeconds: 0 };
  }

  private windowsOf(subject: string, now: number): Windows {
    const minute = Math.floor(now / MINUTE_SECONDS);
    const day = Math.floor(now / DAY_SECONDS);
    const known = this.windows.get(subject);
    return {
      minute,
      day,
      minuteUnits: known?.minute === minute ? known.minuteUnits : 0,
      dayUnits: known?.day === day ? known.dayUnits : 0,
    };
  }
}
