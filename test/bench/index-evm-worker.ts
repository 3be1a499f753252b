import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../src/platform/database/data-source.js';
import { advanceUntil, openEvmIndex } from './evm-index-on-bench.js';

/** A worker of the benchmark's EVM chain in a process of its own: makes history until nothing is left of it. */
const [, , url = '', databaseUrl = '', partitionBlocks = '', part] = process.argv;
const dataSource = await new DataSource(dataSourceOptions({ url: databaseUrl, poolSize: 4 })).initialize();
const index = openEvmIndex(url, dataSource, {
  partitionBlocks: Number(partitionBlocks),
  isHelper: part === 'helper',
});
process.send?.({ url, startedAt: Date.now() });
await (part === 'helper' ? index.help() : advanceUntil(index.backfill));
process.send?.({ url, endedAt: Date.now() });
index.close();
await dataSource.destroy();
process.disconnect?.();
