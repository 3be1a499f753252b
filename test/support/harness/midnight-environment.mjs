import { shiftedDate } from './clock.mjs';
import TestEnvironment from './environment.mjs';

/** Enough to load a spec file, so that what it remembers of the day becomes untrue under its tests. */
const LEAD_MS = 5_000;
const DAY_MS = 86_400_000;

/**
 * The day ends a few seconds after a spec file was begun: in its own process, in the processes that it starts, and in its databases
 * (see services.ts). Temporal keeps its own clock, as a server elsewhere would.
 */
export default class MidnightEnvironment extends TestEnvironment {
  constructor(...args) {
    super(...args);
    const offsetMs = DAY_MS - LEAD_MS - (Date.now() % DAY_MS);
    this.global.Date = shiftedDate(this.global.Date, offsetMs);
    const { env } = this.global.process;
    env.NDS_CLOCK_OFFSET_MS = String(offsetMs);
    env.NODE_OPTIONS = `--import=${new URL('clock.mjs', import.meta.url).href}`;
  }
}
