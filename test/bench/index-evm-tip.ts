import { setTimeout as delay } from 'node:timers/promises';
import { advanceUntil, type BenchedEvmIndex, openEvmIndex } from './evm-index-on-bench.js';
import { type Child, startChild } from './child.js';
import type { IndexBench } from './index-bench.js';
import { percentile } from './measure.js';

/** Two a second, as the C-chain makes them when it is busy. */
const BLOCK_INTERVAL_MS = 500;
/** Blocks that come while nothing is filled in, to compare with. */
const QUIET_BLOCKS = 40;
/** More than come while all below the tip is filled in. */
const NEW_BLOCKS = 400;

/** How long a new block takes until it is on record: with nothing else to do, and while all below the tip is filled in. */
export async function benchTipLag(bench: IndexBench, blocks: number): Promise<string> {
  bench.log(`making ${blocks} EVM blocks and ${NEW_BLOCKS} new ones`);
  const node = await startChild({
    folder: bench.folder,
    name: 'evm node',
    entry: 'dist/test-programs/bench/index-evm-node.js',
    args: [String(blocks + NEW_BLOCKS), String(blocks)],
  });
  const { dataSource, drop } = await bench.freshDatabase();
  const index = openEvmIndex(node.url, dataSource);
  await advanceUntil(index.tip);
  const growth = new Growth(node, BigInt(blocks));
  bench.log('the tip alone');
  const quiet = await measureLags(index, growth, async () => {
    while (growth.count < QUIET_BLOCKS) await delay(BLOCK_INTERVAL_MS);
  });
  bench.log('the tip while all below it is filled in');
  const startedAt = performance.now();
  const busy = await measureLags(index, growth, () => advanceUntil(index.backfill));
  const perSecond = Math.round((blocks * 1000) / (performance.now() - startedAt));
  index.close();
  await drop();
  await node.stop();
  return report(quiet, busy, perSecond);
}

/** A chain that grows, and when each block came. */
class Growth {
  private readonly cameAt = new Map<bigint, number>();
  private height: bigint;

  constructor(
    private readonly node: Child,
    private readonly start: bigint,
  ) {
    this.height = start;
  }

  get count(): number {
    return Number(this.height - this.start);
  }

  async grow(signal: AbortSignal): Promise<void> {
    for (;;) {
      await delay(BLOCK_INTERVAL_MS, undefined, { signal });
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'bench_grow', params: [] });
      await fetch(this.node.url, { method: 'POST', body });
      this.height += 1n;
      this.cameAt.set(this.height, performance.now());
    }
  }

  /** Of the blocks up to a height that were not asked for yet, in milliseconds. */
  take(height: bigint): number[] {
    const now = performance.now();
    const heights = [...this.cameAt.keys()].filter((other) => other <= height);
    return heights.map((each) => {
      const cameAt = this.cameAt.get(each) ?? now;
      this.cameAt.delete(each);
      return now - cameAt;
    });
  }
}

async function measureLags(
  index: BenchedEvmIndex,
  growth: Growth,
  work: () => Promise<void>,
): Promise<number[]> {
  const lags: number[] = [];
  const end = new AbortController();
  let isOver = false;
  const growing = growth.grow(end.signal).catch((error: unknown) => {
    if (!end.signal.aborted) throw error;
  });
  const following = advanceUntil(index.tip, ({ height }) => {
    lags.push(...growth.take(height));
    return isOver;
  });
  await work();
  isOver = true;
  await following;
  end.abort();
  await growing;
  return lags;
}

function report(quiet: readonly number[], busy: readonly number[], perSecond: number): string {
  const line = (what: string, lags: readonly number[]): string => {
    const cells = [50, 95, 100].map((share) => `${Math.round(percentile(lags, share))} ms`);
    return `| ${what} | ${lags.length} | ${cells.join(' | ')} |`;
  };
  return [
    '| A new block until it is on record | blocks | p50 | p95 | most |',
    '|---|---|---|---|---|',
    line('nothing else to do', quiet),
    line(`while ${perSecond.toLocaleString('en-US')} blocks/s are filled in below`, busy),
  ].join('\n');
}
