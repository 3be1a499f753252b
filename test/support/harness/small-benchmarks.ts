import { describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { runBenchmark } from './npm-scripts.js';
import { createTestFolder } from './services.js';

/**
 * Every benchmark, by the spec that runs it, with so little to do that each takes seconds: whether it still runs, not how fast. Several
 * have parts that run one after the other; the names of those stand behind that of the benchmark.
 */
export const SMALL_BENCHMARKS = {
  signatures: [
    'aggregation --quick --validators 5 --seconds 0.2',
    'floods messages gossip --validators 30 --seconds 3 --per-second 5 --addresses 2 --gossipers 5',
    'processes --validators 30 --processes 2 --cooldown-ms 500',
    'on-sight --validators 30 --warm-up 1 --messages 2 --pause-ms 100 --seconds 1 --flood 20',
  ],
  indexes: [
    'index --p-chain --evm --history --supply --headers 3000 --supply-rows 500 --blocks 400 --batch 200 --evm-blocks 100 --partitions 3 --validators 30 --tip-blocks 2',
    'index --p-chain --blocks 200 --batch 100 --utxos 100',
    'idle --chains 2 --settle 1 --seconds 1',
    'x-chain --blocks 200 --transactions 2 --batch 100',
    'search --blocks 20000 --changes 20 --call-ms 1 --compare 1',
  ],
  lists: [
    'lists --size tiny --seconds 0.01',
    'metering --utxos 500 --rounds 1 --seconds 0.2',
    'usage --requests 3000 --days 3 --seconds 0.1',
    'messages --messages 3000 --projected 300 --sends 3000 --seconds 0.01',
    'nfts --tokens 200 --rounds 1 --seconds 0.2',
    'export --rows 5000 --rounds 1',
    'floods nfts --seconds 3 --nfts-per-minute 900 --metadata-kilobytes 300',
    'floods exports --exports 4 --export-rows 3000',
  ],
} as const;

export function describeBenchmarks(group: keyof typeof SMALL_BENCHMARKS): void {
  describe(`the benchmarks of ${group}`, () => {
    it.each(SMALL_BENCHMARKS[group])('run and print what they measured: %s', async (benchmark) => {
      const temporaryFolder = createTestFolder('benchmark');
      const { code, stdout, stderr } = await runBenchmark(benchmark.split(' '), temporaryFolder);
      expect({ code, stderr: code === 0 ? '' : stderr.slice(-3_000) }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^\|(?:.*\|)+$|\(goal \d+: \w+\)$/m);
      expect(readdirSync(temporaryFolder)).toEqual([]);
    });
  });
}
