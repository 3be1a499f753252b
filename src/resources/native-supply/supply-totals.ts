import { Injectable } from '@nestjs/common';
import { evmChainKey } from '../../platform/database/chains.js';
import { Database, type Queryable } from '../../platform/database/database.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import { SupplyBaseline } from './supply-baseline.entity.js';
import { columnNames, columnsOf } from '../../platform/database/entity-columns.js';

/** It reads all atomic transactions that there are. */
const STATEMENT_TIMEOUT_MS = 300_000;

const BASELINE = columnsOf(SupplyBaseline);

/** Running totals as they are kept, beside what the rows add up to. */
const TOTALS = `
  SELECT 'burned on the P-chain' AS what, COALESCE(max(t.burned), 0)::text AS kept,
    (SELECT COALESCE(sum(burned), 0)::text FROM p_chain_transactions WHERE network = $1) AS sum
    FROM p_chain_totals t WHERE t.network = $1
  UNION ALL
  SELECT 'burned on the X-chain', COALESCE(max(t.burned), 0)::text,
    (SELECT COALESCE(sum(burned), 0)::text FROM x_chain_transactions WHERE network = $1)
    FROM x_chain_totals t WHERE t.network = $1
  UNION ALL
  SELECT 'asset ' || encode(asset_id, 'hex') || ' burned by atomic transactions', COALESCE(t.burned, 0)::text, COALESCE(s.burned, 0)::text
    FROM (SELECT asset_id, burned FROM evm_atomic_totals WHERE chain_key = $2) t
    FULL JOIN (
      SELECT decode(each.key, 'hex') AS asset_id, sum(each.value::numeric) AS burned
        FROM (SELECT DISTINCT ON (tx_id) burned FROM evm_atomic_transactions WHERE chain_key = $2 ORDER BY tx_id) AS once
       CROSS JOIN jsonb_each_text(once.burned) AS each GROUP BY 1
    ) s USING (asset_id)`;

/** Whether the sums that are kept as they grow are right. */
@Injectable()
export class SupplyTotals {
  constructor(private readonly database: Database) {}

  /** All of them against all rows, which takes seconds. */
  async audit(chain: EvmChain): Promise<{ comparisons: number; differences: string[] }> {
    const rows = await this.database.transaction(
      (transaction) =>
        transaction.query<{ what: string; kept: string; sum: string }>({
          text: TOTALS,
          values: [chain.network, evmChainKey(chain)],
        }),
      { statementTimeoutMs: STATEMENT_TIMEOUT_MS },
    );
    const differing = rows.filter(({ kept, sum }) => kept !== sum);
    return {
      comparisons: rows.length,
      differences: differing.map(
        ({ what, kept, sum }) => `${what}: ${kept} is kept, the rows add up to ${sum}`,
      ),
    };
  }

  /** How the imported baseline differs from the own history, which has to be complete; undefined where it does not, or there is none. */
  async findWrongBaseline({ network, ...chain }: EvmChain, avaxAssetId: string): Promise<string | undefined> {
    const baseline = await findBaseline(this.database, network);
    if (baseline === undefined) return undefined;
    const { height, burned } = baseline;
    const [row] = await this.database.query<{ sum: string | null }>({
      text: `SELECT sum(burned) AS sum FROM (
               SELECT DISTINCT ON (tx_id) (burned ->> $3)::numeric AS burned FROM evm_atomic_transactions
                WHERE chain_key = $1 AND height <= $2 ORDER BY tx_id) AS once`,
      values: [evmChainKey({ network, chainId: chain.chainId }), height, avaxAssetId],
    });
    const own = BigInt(row?.sum ?? 0);
    if (own === burned) return undefined;
    return `burned by atomic transactions up to block ${height}: the imported baseline says ${burned}, the own history ${own} nAVAX`;
  }
}

async function findBaseline(queryable: Queryable, network: string): Promise<SupplyBaseline | undefined> {
  const [row] = await queryable.query({
    text: `SELECT ${columnNames(BASELINE.columns)} FROM supply_baselines WHERE network = $1`,
    values: [network],
  });
  return row && BASELINE.read(row);
}
