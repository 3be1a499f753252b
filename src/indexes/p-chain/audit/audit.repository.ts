import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { ID_LENGTH } from '../../../avalanche/ids/id.js';
import type { Id, ShortId } from '../../../avalanche/platformvm/ids.js';
import type { SettledCycle, Validator } from '../../../avalanche/platformvm/state/records.js';
import type { StakerTx } from '../../../avalanche/platformvm/transaction.js';
import { toHex } from '../../../avalanche/ids/hex.js';
import { Database } from '../../../platform/database/database.js';
import { ownsFew, tableSample } from '../../engine/audit/sample.js';
import type { NetworkName } from '../../../platform/config/config.module.js';
import { partitionOf } from '../../../platform/database/chains.js';
import { columnsOf, columnsWithout, readAll } from '../../../platform/database/entity-columns.js';
import { PACKED_PROPERTIES, packUtxoRow } from '../../utxos/utxo-bytes.js';
import { UtxoEntity, UtxoListing } from '../../utxos/utxo.entities.js';
import { PChainTotal } from '../entities/p-chain-transaction.entities.js';
import { StakingTransactionEntity } from '../entities/staking-transaction.entities.js';
import { ValidationCycle } from '../entities/validation-cycle.entity.js';
import { VALIDATOR } from '../p-chain-state.repository.js';
import { findAddresses } from '../write-staking-transactions.js';

const ADDRESS = columnsOf(UtxoListing, 'address');
const REWARDED = columnsOf(PChainTotal, 'rewarded');
const STAKING = columnsOf(StakingTransactionEntity, 'txId', 'txType', 'blockTime');
const WHOLE_STAKING = columnsOf(StakingTransactionEntity, 'unsigned', 'addresses');
const CYCLE = columnsWithout(ValidationCycle, 'network');
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
  async sampleOwners(network: NetworkName, count: number): Promise<ShortId[]> {
    const sampled = await tableSample(this.database, `utxos_${network}`);
    const owners = await readAll(
      this.database,
      ADDRESS,
      `FROM (
         SELECT address FROM (
           SELECT DISTINCT unnest(owner_addresses) AS address FROM utxos_${network} ${sampled}
         ) AS owners ORDER BY random() LIMIT $1
       ) AS chosen
       WHERE ${ownsFew('chosen.address', partitionOf('utxo_listings', network, 'P'))}`,
      [count],
    );
    return owners.map(({ address }) => address);
  }

  /** Owners of rewards that are not spent, from a random place on: ids of transactions are as good as random. */
  async sampleRewardOwners(network: NetworkName, count: number): Promise<ShortId[]> {
    const owners = await readAll(
      this.database,
      ADDRESS,
      `FROM (
         SELECT DISTINCT unnest(owner_addresses) AS address FROM (
           SELECT owner_addresses FROM utxos_${network}
           WHERE reward_type IS NOT NULL AND consuming_tx_id IS NULL AND tx_id >= $1 ORDER BY tx_id LIMIT $2
         ) AS rewards
       ) AS chosen
       WHERE ${ownsFew('chosen.address', partitionOf('utxo_listings', network, 'P'))} LIMIT $2`,
      [randomBytes(ID_LENGTH), count],
    );
    return owners.map(({ address }) => address);
  }

  /** All that are recorded, by id. */
  async stakingTransactions(network: NetworkName): Promise<Map<Id, { txType: string; blockTime: number }>> {
    const rows = await readAll(
      this.database,
      STAKING,
      `FROM ${partitionOf('staking_transactions', network)} WHERE network = $1`,
      [network],
    );
    return new Map(rows.map((row) => [row.txId, row]));
  }

  /** How many entries of their lists are missing, or of nothing that is recorded. */
  async strayListings(network: NetworkName): Promise<number> {
    const [row] = await this.database.query<{ count: number }>({
      text: `SELECT count(*)::int AS count FROM (
           SELECT unnest(addresses || '\\x'::bytea) AS address, tx_type, block_time, tx_id
             FROM ${partitionOf('staking_transactions', network)}
         ) AS due FULL JOIN ${partitionOf('staking_listings', network)} AS listed USING (address, tx_type, block_time, tx_id)
         WHERE listed.network IS NULL OR due.tx_id IS NULL`,
      values: [],
    });
    return row?.count ?? 0;
  }

  /** The recorded bytes, and whom it has to do with, as recorded and as follows from `tx` and the UTXOs. */
  async stakingTransaction(network: NetworkName, txId: Id, tx: StakerTx) {
    const [row] = await readAll(
      this.database,
      WHOLE_STAKING,
      `FROM ${partitionOf('staking_transactions', network)} WHERE network = $1 AND tx_id = $2`,
      [network, Buffer.from(txId, 'hex')],
    );
    const addressesOf = await findAddresses(this.database, network, [tx]);
    return { unsigned: row?.unsigned, addresses: row?.addresses, expected: addressesOf(tx) };
  }

  /** Validations that renew themselves, from an id on, with their settled cycles in order. */
  async renewalsFrom(
    network: NetworkName,
    first: Uint8Array,
    count: number,
  ): Promise<{ validator: Validator; cycles: SettledCycle[] }[]> {
    const validators = await readAll(
      this.database,
      VALIDATOR,
      `FROM ${partitionOf('validators', network)}
        WHERE network = $1 AND auto_renewal_next_period IS NOT NULL ORDER BY tx_id < $2, tx_id LIMIT $3`,
      [network, first, count],
    );
    return Promise.all(
      validators.map(async (validator) => ({
        validator: { kind: 'validator', ...validator },
        cycles: await readAll(
          this.database,
          CYCLE,
          `FROM ${partitionOf('validation_cycles', network)} WHERE network = $1 AND tx_id = $2 ORDER BY cycle_index`,
          [network, Buffer.from(validator.txId, 'hex')],
        ),
      })),
    );
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
