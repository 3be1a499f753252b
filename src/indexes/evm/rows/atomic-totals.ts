import { EvmAtomicTransaction } from '../entities/evm-atomic-transaction.entity.js';
import { tableNameOf } from '../../../platform/database/entity-columns.js';

const TRANSACTIONS = tableNameOf(EvmAtomicTransaction);

/**
 * Counts what transactions have burned that a statement adds (`+`) or removes (`-`), as SQL of `changed`, which are their rows, and of
 * $1, their chain. One that an early block repeats counts once, from its first row to its last.
 */
export function countBurned(sign: '+' | '-'): string {
  return `INSERT INTO evm_atomic_totals AS known (chain_key, asset_id, burned)
    SELECT $1, decode(each.key, 'hex'), ${sign} sum(each.value::numeric)
      FROM (SELECT DISTINCT ON (tx_id) tx_id, burned FROM changed ORDER BY tx_id) AS once
     CROSS JOIN jsonb_each_text(once.burned) AS each
     WHERE NOT EXISTS (
       SELECT 1 FROM ${TRANSACTIONS} AS other WHERE other.chain_key = $1 AND other.tx_id = once.tx_id
          AND (other.height, other.position) NOT IN (SELECT height, position FROM changed))
     GROUP BY each.key
    ON CONFLICT (chain_key, asset_id) DO UPDATE SET burned = known.burned + EXCLUDED.burned`;
}
