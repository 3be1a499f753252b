import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceProcess } from '../topology/service-process.js';
import { findFaketime } from '../topology/faketime.js';
import { type Fault, pickOne, unavailable } from './fault.js';

const HOLD_SECONDS = 30;
const MINUTE_MS = 60_000;
const OFFSETS_MINUTES = [10, -10] as const;

/**
 * The wall clock of one API process and one worker jumps, as after a wrong NTP server; the monotonic clock goes on. libfaketime is
 * under all that the process does, Temporal's native core included.
 */
export const clockSkew: Fault = {
  name: 'clock-skew',
  what: 'the clocks of one API process and one worker are ten minutes ahead for 30 s, then as much behind',
  // Validators may hang up on whoever lives in another time.
  allows: unavailable('aggregations'),
  missing: () =>
    findFaketime() === undefined
      ? 'libfaketime is not installed (Debian: apt-get install faketime)'
      : undefined,
  async run({ topology, random, hold, over, expect, note }) {
    const api = pickOne(topology.apis, random);
    const processes = [api, pickOne(topology.workers, random)];
    note(processes.map(({ name }) => name).join(' and '));
    const file = join(topology.folder, 'clock');
    writeFileSync(file, '+0');
    const env = {
      LD_PRELOAD: findFaketime() ?? '',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
    for (const each of processes) {
      await each.stop();
      await each.start(env);
    }
    for (const minutes of OFFSETS_MINUTES) {
      writeFileSync(file, `${minutes > 0 ? '+' : ''}${minutes}m`);
      await hold(HOLD_SECONDS);
      const found = await minutesAhead(api);
      expect(`the clock of ${api.name} is ${minutes} minutes ahead`, found === minutes, `${found} minutes`);
    }
    writeFileSync(file, '+0');
    over();
  },
};

/** By the answers of a process, rounded. */
async function minutesAhead({ url }: ServiceProcess): Promise<number> {
  const { headers } = await fetch(`${url}/v1/live-check`);
  return Math.round((Date.parse(headers.get('date') ?? '') - Date.now()) / MINUTE_MS);
}
