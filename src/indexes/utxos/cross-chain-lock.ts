import type { NetworkName } from '../../platform/config/config.module.js';
import type { Transaction } from '../../platform/database/database.js';

/**
 * Until the transaction ends, no other writer writes UTXOs of the network that one chain creates and another consumes. Two writers that met
 * at the same rows in a different order would deadlock, and the second has to see what the first
 * has listed. Taken last, for the few rows that cross.
 */
export async function lockCrossChainUtxos(transaction: Transaction, network: NetworkName): Promise<void> {
  await transaction.query({
    text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
    values: [`utxos:${network}`],
  });
}
