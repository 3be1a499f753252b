import type { DataSource } from 'typeorm';
import type { ChainTip } from '../../../src/avalanche/platformvm/state/changes.js';
import { Database } from '../../../src/platform/database/database.js';
import { L1ValidatorEntity } from '../../../src/indexes/p-chain/entities/l1-validator.entity.js';
import { PChainTransaction } from '../../../src/indexes/p-chain/entities/p-chain-transaction.entities.js';
import {
  BlockchainEntity,
  SubnetEntity,
  SubnetStakeEntity,
} from '../../../src/indexes/p-chain/entities/subnet.entities.js';
import { DELEGATOR, VALIDATOR } from '../../../src/indexes/p-chain/p-chain-state.repository.js';
import { ValidationCycle } from '../../../src/indexes/p-chain/entities/validation-cycle.entity.js';
import { UtxoEntity } from '../../../src/indexes/utxos/utxo.entities.js';
import {
  type Columns,
  columnsWithout,
  type EntityClass,
  readAll,
  tableNameOf,
} from '../../../src/platform/database/entity-columns.js';
import { PChainLedger } from './p-chain-ledger.js';

/** The content of the tables of fuji's P-chain, and nothing else, as a ledger to compare with a node. */
export async function readDatabaseLedger(dataSource: DataSource, tip: ChainTip): Promise<PChainLedger> {
  const database = new Database(dataSource);
  const from = <Row>(columns: Columns<Row>, table: string, condition = 'true'): Promise<Row[]> =>
    readAll(database, columns, `FROM ${table} WHERE network = 'fuji' AND ${condition}`, []);
  const read = <Row extends { readonly network: string }>(entity: EntityClass<Row>) =>
    from(columnsWithout(entity, 'network'), tableNameOf(entity));
  const stakers = [
    ...(await from(VALIDATOR, 'validators')).map((row) => ({ kind: 'validator', ...row }) as const),
    ...(await from(DELEGATOR, 'delegators')).map((row) => ({ kind: 'delegator', ...row }) as const),
  ];
  const utxos = columnsWithout(UtxoEntity, 'network');
  const created = await from(utxos, 'utxos', 'block_height IS NOT NULL');
  const consumed = await from(utxos, 'utxos', 'consuming_tx_id IS NOT NULL');
  return new PChainLedger({
    tip,
    stakers: by(stakers, ({ txId }) => txId),
    stakes: by(await read(SubnetStakeEntity), ({ subnetId }) => subnetId),
    subnets: by(await read(SubnetEntity), ({ subnetId }) => subnetId),
    l1Validators: by(await read(L1ValidatorEntity), ({ validationId }) => validationId),
    blockchains: await from(
      columnsWithout(BlockchainEntity, 'network', 'genesis', 'evmChainId'),
      'blockchains',
    ),
    createdUtxos: created.map((row) => ({
      utxoId: row.utxoId,
      txId: row.txId,
      outputIndex: row.outputIndex,
      assetId: row.assetId,
      output: {
        amount: known(row.amount),
        stakeableLocktime: row.stakeableLocktime,
        owners: known(row.owner),
      },
      spendableOnChainId: row.spendableOnChainId,
      blockHeight: known(row.blockHeight),
      blockTime: known(row.blockTime),
      rewardType: row.rewardType,
      stake: row.isStakeOutput
        ? { isStaked: row.isStaked, start: known(row.stakeStart), end: known(row.stakeEnd) }
        : null,
    })),
    consumedUtxos: consumed.map((row) => ({
      utxoId: row.utxoId,
      txId: row.txId,
      outputIndex: row.outputIndex,
      assetId: row.assetId,
      amount: known(row.amount),
      createdOnChainId: row.createdOnChainId,
      consumingTxId: known(row.consumingTxId),
      blockHeight: known(row.consumingBlockHeight),
      blockTime: known(row.consumingBlockTime),
    })),
    settledCycles: await read(ValidationCycle),
    validatorSetChanges: [],
    stakingTransactions: new Map(),
    stakeWindows: new Map(),
    transactions: by(await read(PChainTransaction), ({ txId }) => txId),
  });
}

function known<T>(value: T | null): T {
  if (value === null) throw new Error('a column that the ledger needs is empty');
  return value;
}

function by<T>(records: readonly T[], keyOf: (record: T) => string): Map<string, T> {
  return new Map(records.map((record) => [keyOf(record), record]));
}
