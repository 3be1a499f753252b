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
    let pidFile: string | undefined;
    await eventually('Postgres of the benchmark', () => {
      pidFile = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) =>
        name.endsWith('postmaster.pid'),
      );
      return pidFile !== undefined;
    });
    const [pid] = readFileSync(join(folder, String(pidFile)), 'utf8').split('\n');
    await benchmark.stop();
    expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
    expect(readdirSync(folder)).toEqual([]);
  });
});
