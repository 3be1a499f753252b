import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Id, ShortId } from '../../avalanche/platformvm/ids.js';
import { packUtxo } from '../../avalanche/platformvm/codec/utxo.js';
import { toHex } from '../../avalanche/ids/hex.js';
import { toId } from '../sql/read-records.js';
import { select } from '../../indexing/sql/select.js';

interface UtxoRow {
  utxo_id: Buffer;
  tx_id: Buffer;
  output_index: string;
  asset_id: Buffer;
  amount: string;
  stakeable_locktime: string | null;
  owner_locktime: string;
  owner_threshold: number;
  owner_addresses: Buffer[];
}

const UTXO_COLUMNS =
  'utxo_id, tx_id, output_index, asset_id, amount, stakeable_locktime, owner_locktime, owner_threshold, owner_addresses';

/** Share of a large table that a sample is drawn from; small tables are read as a whole. */
const SAMPLE_PERCENT = 0.5;

/** Random rows to ask a node about, and what the database has for them. UTXOs as codec bytes in hex, by id. */
@Injectable()
export class AuditRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Stakers whose reward was decided under their own transaction. */
  async sampleFinishedStakers(network: string, count: number): Promise<Id[]> {
    const sample = (table: string): string =>
      `SELECT tx_id FROM ${table} WHERE network = $1 AND status = 'completed'`;
    const validators = `${sample('validators')} AND NOT is_permissioned AND auto_renewal_next_period IS NULL`;
    const rows = await select<{ tx_id: Buffer }>(
      this.dataSource,
      `(${validators} ORDER BY random() LIMIT $2) UNION ALL (${sample('delegators')} ORDER BY random() LIMIT $2)`,
      [network, count],
    );
    return rows.map((row) => toId(row.tx_id));
  }

  async rewardUtxos(network: string, txId: Id): Promise<Map<Id, string>> {
    const rows = await select<UtxoRow>(
      this.dataSource,
      `SELECT ${UTXO_COLUMNS} FROM utxos WHERE network = $1 AND reward_type IS NOT NULL AND utxo_id IN (
         SELECT sha256(int8send(position) || $2::bytea)
         FROM generate_series(0, 15) AS shift,
           LATERAL (SELECT (output_count + stake_output_count + shift)::bigint AS position FROM (
             SELECT output_count, stake_output_count FROM validators WHERE network = $1 AND tx_id = $2::bytea
             UNION ALL
             SELECT output_count, stake_output_count FROM delegators WHERE network = $1 AND tx_id = $2::bytea
           ) AS staker) AS place
       )`,
      [network, Buffer.from(txId, 'hex')],
    );
    return new Map(rows.map(toEntry));
  }

  /** Owners of outputs, spent or not. */
  async sampleOwners(network: string, count: number): Promise<ShortId[]> {
    const [size] = await select<{ rows: string }>(
      this.dataSource,
      'SELECT reltuples::bigint AS rows FROM pg_class WHERE oid = to_regclass($1)',
      [`utxos_${network}`],
    );
    const sampled = Number(size?.rows ?? 0) > 100_000 ? `TABLESAMPLE SYSTEM (${SAMPLE_PERCENT})` : '';
    const rows = await select<{ address: Buffer }>(
      this.dataSource,
      `SELECT address FROM (
         SELECT DISTINCT unnest(owner_addresses) AS address FROM utxos_${network} ${sampled}
       ) AS owners ORDER BY random() LIMIT $1`,
      [count],
    );
    return rows.map((row) => toId(row.address));
  }

  /** What an address can spend on the P-chain, or could if it were not locked; staked outputs are not among it. */
  async unspentUtxos(network: string, address: ShortId): Promise<Map<Id, string>> {
    const rows = await select<UtxoRow>(
      this.dataSource,
      `SELECT ${UTXO_COLUMNS.replaceAll(/(\w+)/g, 'utxos.$1')} FROM utxo_listings
       JOIN utxos ON utxos.network = utxo_listings.network AND utxos.utxo_id = utxo_listings.utxo_id
       WHERE utxo_listings.network = $1 AND chain = 'P' AND address = $2 AND NOT is_spent
         AND NOT staked AND spendable_on_chain_id = decode(repeat('00', 32), 'hex')`,
      [network, Buffer.from(address, 'hex')],
    );
    return new Map(rows.map(toEntry));
  }
}

function toEntry(row: UtxoRow): [Id, string] {
  const bytes = packUtxo({
    txId: toId(row.tx_id),
    outputIndex: Number(row.output_index),
    assetId: toId(row.asset_id),
    output: {
      amount: BigInt(row.amount),
      stakeableLocktime: row.stakeable_locktime === null ? null : BigInt(row.stakeable_locktime),
      owners: {
        locktime: BigInt(row.owner_locktime),
        threshold: row.owner_threshold,
        addresses: row.owner_addresses.map(toId),
      },
    },
  });
  return [toId(row.utxo_id), toHex(bytes)];
}
