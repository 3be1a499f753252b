import type { DataSource } from 'typeorm';
import {
  evmChainKey,
  evmChainName,
  P_CHAIN,
  type PrimaryChain,
  X_CHAIN,
} from '../../../src/platform/database/chains.js';
import { Database, type Queryable } from '../../../src/platform/database/database.js';
import { ATOMIC } from '../../../src/indexes/evm/facets/facets.js';
import { EvmPartitions } from '../../../src/indexes/evm/rows/partitions.js';
import { idOf } from '../p-chain/p-chain-rows.js';

/** Where the rows go. */
interface IndexTables {
  readonly dataSource: DataSource;
}
type Network = 'mainnet' | 'fuji';

/** Rows by column name; bytes as `\x` and hex, numbers beyond 2^53 as text. */
export async function insertRows(
  dataSource: DataSource,
  table: string,
  rows: readonly object[],
): Promise<void> {
  await dataSource.query(`INSERT INTO ${table} SELECT * FROM json_populate_recordset(null::${table}, $1)`, [
    JSON.stringify(rows),
  ]);
}

function checkpoint(network: Network, chain: string, height: number, state: object) {
  return {
    network,
    chain,
    height,
    block_id: idOf(1),
    block_time: 1_700_000_000,
    state,
    updated_at: new Date().toISOString(),
  };
}

interface Standing {
  readonly network: string;
  readonly chain: string;
  readonly height: number;
  readonly tip: number;
  /** UNIX seconds; when it last reported and saw the tip: now unless given. */
  readonly blockTime: number;
  readonly heardAt?: number;
}

/** Where indexes are, and how far they know their chains to be. */
export async function insertStandings(api: IndexTables, standings: readonly Standing[]): Promise<void> {
  await insertRows(
    api.dataSource,
    'index_checkpoints',
    standings.map(({ network, chain, height, blockTime }) => ({
      network,
      chain,
      height,
      block_id: idOf(1),
      block_time: blockTime,
      state: {},
      updated_at: new Date().toISOString(),
    })),
  );
  await insertRows(
    api.dataSource,
    'index_progress',
    standings.map(({ network, chain, tip, heardAt = Math.floor(Date.now() / 1_000) }) => ({
      network,
      chain,
      state: 'running',
      height: 0,
      tip_height: tip,
      version: 1,
      updated_at: new Date(heardAt * 1_000).toISOString(),
      tip_seen_at: new Date(heardAt * 1_000).toISOString(),
    })),
  );
}

/** The X-chain. */
export async function beginXIndex(api: IndexTables, network: Network): Promise<void> {
  await insertRows(api.dataSource, 'index_checkpoints', [
    checkpoint(network, X_CHAIN, 1, { history: { state: 'complete' } }),
  ]);
}

/** Records that the imports and exports of these blocks are there. */
export async function coverImports(
  api: IndexTables,
  place: { readonly network: string; readonly chain: string },
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  await insertRows(api.dataSource, 'index_coverage', [
    {
      ...place,
      facet: ATOMIC.name,
      from_height: from,
      to_height: to,
      status: 'complete',
      version: ATOMIC.version,
      checked_at: new Date().toISOString(),
    },
  ]);
}

const FIRST_HEIGHT = 100;
const LAST_HEIGHT = 200;

/** The C-chain, with its imports and exports from a block of this time on. */
export async function beginCIndex(
  api: IndexTables,
  chain: { readonly network: Network; readonly chainId: bigint },
  since: number,
): Promise<void> {
  const place = { network: chain.network, chain: evmChainName(chain.chainId) };
  const first = { from: BigInt(FIRST_HEIGHT), to: BigInt(FIRST_HEIGHT) };
  await new EvmPartitions(new Database(api.dataSource)).ensure(chain, first, 1);
  await insertRows(api.dataSource, 'evm_blocks', [
    {
      chain_key: evmChainKey(chain).toString(),
      height: FIRST_HEIGHT,
      hash: idOf(2),
      block_time: since,
      needs_trace: false,
    },
  ]);
  await coverImports(api, place, { from: FIRST_HEIGHT, to: LAST_HEIGHT });
  await insertRows(api.dataSource, 'index_checkpoints', [
    checkpoint(place.network, place.chain, LAST_HEIGHT, {}),
  ]);
}

/** Blocks older than its beginning have been filled in. */
export async function completeCIndex(
  api: IndexTables,
  { network, chainId }: Parameters<typeof beginCIndex>[1],
) {
  await api.dataSource.query('UPDATE index_coverage SET from_height = 0 WHERE network = $1 AND chain = $2', [
    network,
    evmChainName(chainId),
  ]);
}

/** Sets the height of an index of a primary chain, and of all that it has of it. */
export async function moveIndex(
  queryable: Queryable,
  { network, chain, cChainId }: { network: Network; chain: PrimaryChain; cChainId: bigint },
  height: number,
): Promise<void> {
  const name = { P: P_CHAIN, X: X_CHAIN, C: evmChainName(cChainId) }[chain];
  await queryable.execute({
    text: `INSERT INTO index_checkpoints (network, chain, height, block_id, block_time, state) VALUES ($1, $2, $3, '\\x00', 0, '{}')
           ON CONFLICT (network, chain) DO UPDATE SET height = EXCLUDED.height`,
    values: [network, name, height],
  });
  for (const facet of chain === 'C' ? [ATOMIC.name, 'logs:messages'] : []) {
    await queryable.execute({
      text: `INSERT INTO index_coverage (network, chain, facet, from_height, to_height, status, version)
             VALUES ($1, $2, $3, 0, $4, 'complete', $5)
             ON CONFLICT (network, chain, facet, from_height) DO UPDATE SET to_height = EXCLUDED.to_height`,
      values: [network, name, facet, height, ATOMIC.version],
    });
  }
}
