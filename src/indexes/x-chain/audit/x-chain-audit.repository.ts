import { Injectable } from '@nestjs/common';
import { toHex } from '../../../avalanche/ids/hex.js';
import type { Id, ShortId } from '../../../avalanche/platformvm/ids.js';
import type { NetworkName } from '../../../platform/config/config.module.js';
import { Database } from '../../../platform/database/database.js';
import { partitionOf } from '../../../platform/database/chains.js';
import { ownsFew, tableSample } from '../../engine/audit/sample.js';
import { columnsOf, readAll } from '../../../platform/database/entity-columns.js';
import { PACKED_PROPERTIES, packUtxoRow } from '../../utxos/utxo-bytes.js';
import { UtxoEntity, UtxoListing } from '../../utxos/utxo.entities.js';
import { AssetEntity } from '../entities/x-chain.entities.js';

const ASSET = columnsOf(AssetEntity);
const ADDRESS = columnsOf(UtxoListing, 'address');
const UTXO = columnsOf(UtxoEntity, 'utxoId', ...PACKED_PROPERTIES);

/** Random rows to ask a node about, and what the database has for them. */
@Injectable()
export class XChainAuditRepository {
  constructor(private readonly database: Database) {}

  async sampleAssets(network: NetworkName, count: number) {
    const table = partitionOf('assets', network);
    const sampled = await tableSample(this.database, table);
    return readAll(this.database, ASSET, `FROM ${table} ${sampled} ORDER BY random() LIMIT $1`, [count]);
  }

  /** Addresses with outputs, spent or unspent. */
  async sampleOwners(network: NetworkName, count: number): Promise<ShortId[]> {
    const table = partitionOf('utxo_listings', network, 'X');
    const sampled = await tableSample(this.database, table);
    const owners = await readAll(
      this.database,
      ADDRESS,
      `FROM (
         SELECT address FROM (SELECT DISTINCT address FROM ${table} ${sampled} WHERE address <> '') AS owners
         ORDER BY random() LIMIT $1
       ) AS chosen
       WHERE ${ownsFew('chosen.address', table)}`,
      [count],
    );
    return owners.map(({ address }) => address);
  }

  /** UTXOs that the chain itself has created for an address and that are unspent; as codec bytes in hex, by id. */
  async unspentUtxos(network: NetworkName, chainId: Id, address: ShortId): Promise<Map<Id, string>> {
    const utxos = await readAll(
      this.database,
      UTXO,
      `FROM ${partitionOf('utxos', network)}
        WHERE network = $1 AND $2 = ALL(ARRAY[created_on_chain_id, spendable_on_chain_id]) AND utxo_id IN (
          SELECT utxo_id FROM ${partitionOf('utxo_listings', network, 'X')} WHERE address = $3 AND NOT is_spent
        )`,
      [network, Buffer.from(chainId, 'hex'), Buffer.from(address, 'hex')],
    );
    return new Map(utxos.map((utxo) => [utxo.utxoId, toHex(packUtxoRow(utxo))]));
  }
}
