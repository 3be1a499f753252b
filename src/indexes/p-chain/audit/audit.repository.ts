import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { ID_LENGTH } from '../../../avalanche/ids/id.js';
import type { Id, ShortId } from '../../../avalanche/platformvm/ids.js';
import { toHex } from '../../../avalanche/ids/hex.js';
import { Database } from '../../../platform/database/database.js';
import { tableSample } from '../../engine/audit/sample.js';
import { columnsOf, readAll } from '../../../platform/database/entity-columns.js';
import { PACKED_PROPERTIES, packUtxoRow } from '../../utxos/utxo-bytes.js';
import { UtxoEntity, UtxoListing } from '../../utxos/utxo.entities.js';
import { PChainTotal } from '../entities/p-chain-transaction.entities.js';

const ADDRESS = columnsOf(UtxoListing, 'address');
const REWARDED = columnsOf(PChainTotal, 'rewarded');
const UTXO = columnsOf(UtxoEntity, 'utxoId', ...PACKED_PROPERTIES);

/** Random rows to ask a node about, and what the database has for them. UTXOs as codec bytes in hex, by id. */
@Injectable()
export class AuditRepository {
  constructor(private readonly database: Database) {}

  /** Sum of all rewards ever paid to stakers of the primary network, nAVAX. */
  async paidRewards(network: string): Promise<bigint | undefined> {
    const [totals] = await readAll(this.database, REWARDED, 'FROM p_chain_totals WHERE network = $1', [
      network,
    ]);
    return totals?.rewarded;
  }

  /** Owners of outputs, spent or not. */
  async sampleOwners(network: string, count: number): Promise<ShortId[]> {
    const sampled = await tableSample(this.database, `utxos_${network}`);
    const owners = await readAll(
      this.database,
      ADDRESS,
      `FROM (
         SELECT DISTINCT unnest(owner_addresses) AS address FROM utxos_${network} ${sampled}
       ) AS owners ORDER BY random() LIMIT $1`,
      [count],
    );
    return owners.map(({ address }) => address);
  }

  /** Owners of rewards that are not spent, from a random place on: ids of transactions are as good as random. */
  async sampleRewardOwners(network: string, count: number): Promise<ShortId[]> {
    const owners = await readAll(
      this.database,
      ADDRESS,
      `FROM (
         SELECT DISTINCT unnest(owner_addresses) AS address FROM (
           SELECT owner_addresses FROM utxos_${network}
           WHERE reward_type IS NOT NULL AND consuming_tx_id IS NULL AND tx_id >= $1 ORDER BY tx_id LIMIT $2
         ) AS rewards
       ) AS owners LIMIT $2`,
      [randomBytes(ID_LENGTH), count],
    );
    return owners.map(({ address }) => address);
  }

  /**
   * Amount that an address can spend on the P-chain, or could if it were not locked; without staked outputs and without those waiting to be
   * imported.
   */
  async unspentUtxos(network: string, address: ShortId): Promise<Map<Id, string>> {
    return this.utxos(
      `FROM utxos WHERE network = $1 AND NOT staked
         AND decode(repeat('00', 32), 'hex') = ALL(ARRAY[created_on_chain_id, spendable_on_chain_id])
         AND utxo_id IN (
           SELECT utxo_id FROM utxo_listings WHERE network = $1 AND chain = 'P' AND address = $2 AND NOT is_spent
         )`,
      [network, Buffer.from(address, 'hex')],
    );
  }

  private async utxos(rest: string, values: readonly unknown[]): Promise<Map<Id, string>> {
    const utxos = await readAll(this.database, UTXO, rest, values);
    return new Map(utxos.map((utxo) => [utxo.utxoId, toHex(packUtxoRow(utxo))]));
  }
}
