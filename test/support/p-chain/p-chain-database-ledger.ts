import type { DataSource } from 'typeorm';
import type { ChainTip } from '../../../src/avalanche/platformvm/state/changes.js';
import { Database } from '../../../src/platform/database/database.js';
import { type Field, readAll, record } from '../../../src/indexes/engine/sql/field.js';
import { DELEGATOR, VALIDATOR } from '../../../src/indexes/p-chain/sql/staker-tables.js';
import {
  BLOCKCHAIN,
  L1_VALIDATOR,
  SUBNET,
  SUBNET_STAKE,
} from '../../../src/indexes/p-chain/sql/subnet-tables.js';
import { TRANSACTION } from '../../../src/indexes/p-chain/sql/transaction-table.js';
import { CREATION, IDENTITY, SPENT, SPENT_IDENTITY, UTXO } from '../../../src/indexes/utxos/utxo-fields.js';
import { PChainLedger } from './p-chain-ledger.js';

/** Everything that the tables of fuji's P-chain say, and nothing else, as a ledger to compare with a node. */
export async function readDatabaseLedger(dataSource: DataSource, tip: ChainTip): Promise<PChainLedger> {
  const database = new Database(dataSource);
  const read = <Value, Row extends object>(
    field: Field<Value, Row>,
    table: string,
    condition = 'true',
  ): Promise<Value[]> =>
    readAll(database, field, `FROM ${table} WHERE network = 'fuji' AND ${condition}`, []);
  const stakers = [...(await read(VALIDATOR, 'validators')), ...(await read(DELEGATOR, 'delegators'))];
  const created = await read(CREATED, 'utxos', 'block_height IS NOT NULL');
  const consumed = await read(CONSUMED, 'utxos', 'consuming_tx_id IS NOT NULL');
  return new PChainLedger({
    tip,
    stakers: by(stakers, ({ txId }) => txId),
    stakes: by(await read(SUBNET_STAKE, 'subnet_stakes'), ({ subnetId }) => subnetId),
    subnets: by(await read(SUBNET, 'subnets'), ({ subnetId }) => subnetId),
    l1Validators: by(await read(L1_VALIDATOR, 'l1_validators'), ({ validationId }) => validationId),
    blockchains: await read(BLOCKCHAIN, 'blockchains'),
    createdUtxos: created.map(({ identity, utxo, creation }) => ({
      ...identity.utxo,
      ...creation.utxo,
      ...utxo,
      rewardType: creation.rewardType,
      stake:
        creation.isStakeOutput && creation.stake !== null
          ? { ...creation.stake, isStaked: creation.isStaked }
          : null,
    })),
    consumedUtxos: consumed.map(({ identity, spent }) => ({
      ...identity,
      ...spent,
      amount: identity.amount ?? fail('a consumption without an amount'),
    })),
    stakeWindows: new Map(),
    transactions: by(await read(TRANSACTION, 'p_chain_transactions'), ({ txId }) => txId),
  });
}

const CREATED = record({ identity: IDENTITY, utxo: UTXO, creation: CREATION });
const CONSUMED = record({ identity: SPENT_IDENTITY, spent: SPENT });

function fail(why: string): never {
  throw new Error(why);
}

function by<T>(records: readonly T[], keyOf: (record: T) => string): Map<string, T> {
  return new Map(records.map((record) => [keyOf(record), record]));
}
