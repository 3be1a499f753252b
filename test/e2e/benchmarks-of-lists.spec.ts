import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/harness/eventually.js';
import { startBenchmark } from '../support/harness/npm-scripts.js';
import { createTestFolder } from '../support/harness/services.js';
import { describeBenchmarks, SMALL_BENCHMARKS } from '../support/harness/small-benchmarks.js';

describeBenchmarks('lists');

describe('a benchmark that is ended before its time', () => {
  it('stops its servers and removes what it wrote', async () => {
    const folder = createTestFolder('benchmark');
    const benchmark = await startBenchmark(SMALL_BENCHMARKS.lists[0].split(' '), folder);
    let pid = 0;
    await eventually('Postgres of the benchmark', () => {
      // While a database is made, its folder has another name: it may be gone before it is read.
      try {
        const file = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) =>
          name.endsWith(join('data', 'postmaster.pid')),
        );
        pid = file === undefined ? 0 : Number.parseInt(readFileSync(join(folder, file), 'utf8'), 10);
      } catch {
        return false;
      }
      return pid > 0;
    });
    await benchmark.stop();
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(readdirSync(folder)).toEqual([]);
  });
});
