import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../src/platform/database/data-source.js';
import { advanceUntil, openEvmIndex } from './evm-index-on-bench.js';

/** A worker of the benchmark's EVM chain in a process of its own: makes history, with so many builders, until nothing is left of it. */
const [, , url = '', databaseUrl = '', partitionBlocks = '', part, builderCount] = process.argv;
const dataSource = await new DataSource(
  dataSourceOptions({ url: databaseUrl, poolSize: 4 * Number(builderCount) }),
).initialize();
const builders = Array.from({ length: Number(builderCount) }, (_, i) => {
  const isHelper = part === 'helper' || i > 0;
  const index = openEvmIndex(url, dataSource, { partitionBlocks: Number(partitionBlocks), isHelper });
  return { index, build: () => (isHelper ? index.help() : advanceUntil(index.backfill)) };
});
process.send?.({ url, startedAt: Date.now() });
await Promise.all(builders.map(({ build }) => build()));
process.send?.({ url, endedAt: Date.now() });
for (const { index } of builders) index.close();
await dataSource.destroy();
process.disconnect?.();
