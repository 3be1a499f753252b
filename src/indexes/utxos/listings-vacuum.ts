import type { NetworkName } from '../../platform/config/config.module.js';
import { partitionOf, type PrimaryChain } from '../../platform/database/chains.js';
import type { Queryable } from '../../platform/database/database.js';
import { FEW_DEAD_LISTINGS } from '../../platform/database/network-partitions.js';

/**
 * How soon the lists of a chain's UTXOs are vacuumed. At the tip after few dead rows, which stand in front of first pages; of a large chain
 * that is far behind the next VACUUM of all indexes would begin when the last one ends, so that dead rows have to be a share of the table
 * there, as elsewhere. On record at the table, for whichever process comes to the tip.
 */
export class ListingsVacuum {
  constructor(
    private readonly database: Queryable,
    private readonly chain: PrimaryChain,
  ) {}

  async comeSeldom(network: NetworkName): Promise<void> {
    await this.alter(network, 'RESET (autovacuum_vacuum_max_threshold)');
  }

  async comeOften(network: NetworkName): Promise<void> {
    await this.alter(network, `SET (${FEW_DEAD_LISTINGS})`);
  }

  async comesOften(network: NetworkName): Promise<boolean> {
    const rows = await this.database.query({
      text: 'SELECT FROM pg_class WHERE oid = $1::regclass AND reloptions @> ARRAY[$2]',
      values: [this.listings(network), FEW_DEAD_LISTINGS],
    });
    return rows.length > 0;
  }

  private alter(network: NetworkName, change: string): Promise<number> {
    return this.database.execute({ text: `ALTER TABLE ${this.listings(network)} ${change}`, values: [] });
  }

  private listings(network: NetworkName): string {
    return partitionOf('utxo_listings', network, this.chain);
  }
}
