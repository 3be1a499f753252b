import { DataSource } from 'typeorm';
import { Config } from '../../src/platform/config/config.module.js';
import { parseEnv } from '../../src/platform/config/env.schema.js';
import { evmChainKey, evmChainName, P_CHAIN, X_CHAIN } from '../../src/platform/database/chains.js';
import { Database } from '../../src/platform/database/database.js';
import { dataSourceOptions } from '../../src/platform/database/data-source.js';
import { EvmChains } from '../../src/platform/evm-chains/evm-chains.js';
import { ATOMIC } from '../../src/indexes/evm/facets/facets.js';
import { SupplyReader } from '../../src/resources/native-supply/supply-reader.js';
import { SupplyTotals } from '../../src/resources/native-supply/supply-totals.js';
import { ENTITIES } from '../support/entities.js';
import { writeChainsFile } from './chains-file.js';
import { startChild } from './child.js';
import { advanceUntil, openEvmIndex } from './evm-index-on-bench.js';
import type { IndexBench } from './index-bench.js';
import { BENCH_CHAIN_ID } from './index-evm-shape.js';
import { median } from './measure.js';

const READS = 21;
const ROWS_AT_ONCE = 200_000;
const ASSET = 'ab'.repeat(32);

/** How fast imports and exports are read from headers alone, and what the supply costs when there are many of them. */
export async function benchSupply(
  bench: IndexBench,
  { blocks, rows }: { blocks: number; rows: number },
): Promise<string> {
  bench.log(`headers of ${blocks} blocks`);
  const entry = 'dist/test-programs/bench/index-atomic-node.js';
  const node = await startChild({ folder: bench.folder, name: 'atomic node', entry, args: [String(blocks)] });
  const { dataSource, url, drop } = await bench.freshDatabase();
  const index = openEvmIndex(node.url, dataSource);
  await advanceUntil(index.tip);
  const startedAt = performance.now();
  await advanceUntil(index.atomic);
  const perSecond = (blocks * 1_000) / (performance.now() - startedAt);
  index.close();
  bench.log(`${rows} atomic transactions, and as many on X`);
  await fill(dataSource, rows);
  const { readMs, auditMs } = await measureReads(bench, url, node.url);
  await drop();
  await node.stop();
  return [
    '| supply | |',
    '|---|---|',
    `| imports and exports from headers, blocks/s | ${Math.round(perSecond).toLocaleString('en-US')} |`,
    `| all figures, of ${rows} atomic transactions, ms | ${readMs.toFixed(1)} |`,
    `| the sums against all rows, ms | ${auditMs.toFixed(0)} |`,
  ].join('\n');
}

async function fill(dataSource: DataSource, rows: number): Promise<void> {
  const key = evmChainKey({ network: 'mainnet', chainId: BENCH_CHAIN_ID });
  const chain = evmChainName(BENCH_CHAIN_ID);
  for (let from = 1; from <= rows; from += ROWS_AT_ONCE) {
    const series = `generate_series(${from}, ${Math.min(rows, from + ROWS_AT_ONCE - 1)}) n`;
    await dataSource.query(`INSERT INTO evm_atomic_transactions (chain_key, height, position, block_time, tx_id, blockchain_id, burned, created, consumed)
      SELECT ${key}, n, 9, n, sha256(n::text::bytea), '\\x00', '{"${ASSET}":"1000"}', '{}', '{}' FROM ${series}`);
    await dataSource.query(`INSERT INTO x_chain_transactions (network, tx_id, type, block_height, block_time, burned, avax_spent)
      SELECT 'mainnet', sha256(n::text::bytea), 'BaseTx', n, n, 1000, 1000 FROM ${series}`);
  }
  for (const sql of [
    `INSERT INTO p_chain_totals VALUES ('mainnet', 1, 1, 1)`,
    `INSERT INTO x_chain_totals VALUES ('mainnet', 1)`,
    `INSERT INTO subnet_stakes (network, subnet_id, supply, total_weight) VALUES ('mainnet', decode(repeat('00', 32), 'hex'), 1, 1)`,
    `INSERT INTO index_checkpoints (network, chain, height, block_id, block_time, state)
     SELECT 'mainnet', chain, 1, '\\x00', 1, '{"avaxAssetId":"${ASSET}","accruedFees":"0"}' FROM unnest(ARRAY['${P_CHAIN}', '${X_CHAIN}']) AS chain`,
    `INSERT INTO index_progress (network, chain, state, height, tip_height, blocks_per_second, version)
     SELECT 'mainnet', chain, 'running', height, height, 0, 1 FROM index_checkpoints WHERE chain IN ('${P_CHAIN}', '${X_CHAIN}', '${chain}')`,
    'ANALYZE',
  ]) {
    await dataSource.query(sql);
  }
  const [coverage] = await dataSource.query<{ ranges: number }[]>(
    'SELECT count(*)::int AS ranges FROM index_coverage WHERE facet = $1',
    [ATOMIC.name],
  );
  if (coverage?.ranges !== 1) throw new Error('not all headers were read');
}

/** All that needs no node. */
async function measureReads(
  bench: IndexBench,
  url: string,
  nodeUrl: string,
): Promise<{ readMs: number; auditMs: number }> {
  const dataSource = await new DataSource(
    dataSourceOptions({ url, poolSize: 2, entities: ENTITIES }),
  ).initialize();
  const EVM_CHAINS_FILE = writeChainsFile(
    bench.folder,
    { network: 'mainnet', chainId: BENCH_CHAIN_ID },
    { rpcUrl: nodeUrl, blockchainId: '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5' },
  );
  const env = { DATABASE_URL: url, MAINNET_NODE_URL: nodeUrl, EVM_CHAINS_FILE };
  const chains = new EvmChains(new Config(parseEnv(env)));
  const reader = new SupplyReader(dataSource, chains);
  const times: number[] = [];
  for (let read = 0; read < READS; read++) {
    const startedAt = performance.now();
    await reader.readTables('mainnet');
    times.push(performance.now() - startedAt);
  }
  const startedAt = performance.now();
  await new SupplyTotals(new Database(dataSource)).audit(chains.all()[0]!);
  const auditMs = performance.now() - startedAt;
  chains.onApplicationShutdown();
  await dataSource.destroy();
  return { readMs: median(times), auditMs };
}
