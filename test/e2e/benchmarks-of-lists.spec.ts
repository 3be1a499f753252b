import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
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
      const [own = ''] = readdirSync(folder);
      // While a database is made, its folder has another name.
      const file = join(folder, own, 'postgres', 'data', 'postmaster.pid');
      pid = existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : 0;
      return pid > 0;
    });
    await benchmark.stop();
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(readdirSync(folder)).toEqual([]);
  });
});
