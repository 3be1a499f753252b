import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../src/platform/database/data-source.js';
import { advanceUntil, openEvmIndex } from './evm-index-on-bench.js';

/** A worker of the benchmark's EVM chain in a process of its own: makes history, with so many builders, until nothing is left of it. */
const [, , url = '', databaseUrl = '', partitionBlocks = '', part, builders] = process.argv;
const isHelper = part === 'helper';
const dataSource = await new DataSource(
  dataSourceOptions({ url: databaseUrl, poolSize: 4 * Number(builders) }),
).initialize();
const indexes = Array.from({ length: Number(builders) }, (_, i) =>
  openEvmIndex(url, dataSource, { partitionBlocks: Number(partitionBlocks), isHelper: isHelper || i > 0 }),
);
process.send?.({ url, startedAt: Date.now() });
await Promise.all(
  indexes.map((index, i) => (isHelper || i > 0 ? index.help() : advanceUntil(index.backfill))),
);
process.send?.({ url, endedAt: Date.now() });
for (const index of indexes) index.close();
await dataSource.destroy();
process.disconnect?.();
