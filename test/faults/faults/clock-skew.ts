import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFaketime } from '../topology/faketime.js';
import { type Fault, pickOne, unavailable } from './fault.js';

const HOLD_SECONDS = 30;
const OFFSETS = ['+10m', '-10m'] as const;

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
  async run({ topology, random, hold, over, note }) {
    const processes = [pickOne(topology.apis, random), pickOne(topology.workers, random)];
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
    for (const offset of OFFSETS) {
      writeFileSync(file, offset);
      await hold(HOLD_SECONDS);
    }
    writeFileSync(file, '+0');
    over();
  },
};
