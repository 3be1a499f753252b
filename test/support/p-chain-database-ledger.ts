import type { DataSource } from 'typeorm';
import type { ChainTip, StateChanges } from '../../src/avalanche/platformvm/state/changes.js';
import type {
  Blockchain,
  ConsumedUtxo,
  CreatedUtxo,
  RewardType,
  StakeWindow,
  Staker,
  TransactionRecord,
} from '../../src/avalanche/platformvm/state/records.js';
import type { TxType } from '../../src/avalanche/platformvm/transaction.js';
import {
  type DelegatorRow,
  type L1ValidatorRow,
  type SubnetRow,
  type SubnetStakeRow,
  toDelegator,
  toId,
  toL1Validator,
  toSubnet,
  toSubnetStake,
  toValidator,
  type ValidatorRow,
} from '../../src/p-chain-index/sql/read-records.js';
import { PChainLedger } from './p-chain-ledger.js';

interface UtxoRow {
  utxo_id: Buffer;
  tx_id: Buffer;
  output_index: string;
  asset_id: Buffer;
  amount: string;
  created_on_chain_id: Buffer;
  spendable_on_chain_id: Buffer;
  block_height: string | null;
  block_time: string | null;
  stakeable_locktime: string | null;
  owner_locktime: string | null;
  owner_threshold: number | null;
  owner_addresses: Buffer[] | null;
  is_stake_output: boolean;
  staked: boolean;
  stake_start: string | null;
  stake_end: string | null;
  reward_type: RewardType | null;
  consuming_tx_id: Buffer | null;
  consuming_block_height: string | null;
  consuming_block_time: string | null;
}

interface BlockchainRow {
  blockchain_id: Buffer;
  subnet_id: Buffer;
  name: string;
  vm_id: Buffer;
  fx_ids: Buffer[];
  genesis_data: Buffer;
  block_height: string | null;
  block_time: string;
}

interface TransactionRow {
  tx_id: Buffer;
  type: TxType;
  block_height: string;
  block_time: string;
  is_committed: boolean;
  burned: string;
}

/** Everything that the tables of fuji's P-chain say, and nothing else, as a ledger to compare with a node. */
export async function readDatabaseLedger(dataSource: DataSource, tip: ChainTip): Promise<PChainLedger> {
  const read = <Row>(table: string): Promise<Row[]> =>
    dataSource.query<Row[]>(`SELECT * FROM ${table} WHERE network = 'fuji'`);
  const validators = await read<ValidatorRow>('validators');
  const delegators = await read<DelegatorRow>('delegators');
  const utxos = await read<UtxoRow>('utxos');
  const stakers: Staker[] = [...validators.map(toValidator), ...delegators.map(toDelegator)];
  const changes: StateChanges = {
    tip,
    stakers: by(stakers, ({ txId }) => txId),
    stakes: by((await read<SubnetStakeRow>('subnet_stakes')).map(toSubnetStake), ({ subnetId }) => subnetId),
    subnets: by((await read<SubnetRow>('subnets')).map(toSubnet), ({ subnetId }) => subnetId),
    l1Validators: by(
      (await read<L1ValidatorRow>('l1_validators')).map(toL1Validator),
      ({ validationId }) => validationId,
    ),
    blockchains: (await read<BlockchainRow>('blockchains')).map(toBlockchain),
    createdUtxos: utxos.flatMap(toCreatedUtxo),
    consumedUtxos: utxos.flatMap(toConsumedUtxo),
    stakeWindows: new Map(),
    transactions: by(
      (await read<TransactionRow>('p_chain_transactions')).map(toTransaction),
      ({ txId }) => txId,
    ),
  };
  return new PChainLedger(changes);
}

function by<T>(records: readonly T[], keyOf: (record: T) => string): Map<string, T> {
  return new Map(records.map((record) => [keyOf(record), record]));
}

function toCreatedUtxo(row: UtxoRow): CreatedUtxo[] {
  const {
    block_height: height,
    block_time: time,
    owner_threshold: threshold,
    owner_addresses: addresses,
  } = row;
  if (height === null || time === null || threshold === null || addresses === null) return [];
  return [
    {
      ...utxoFields(row),
      output: {
        amount: BigInt(row.amount),
        stakeableLocktime: row.stakeable_locktime === null ? null : BigInt(row.stakeable_locktime),
        owners: { locktime: BigInt(row.owner_locktime ?? 0), threshold, addresses: addresses.map(toId) },
      },
      spendableOnChainId: toId(row.spendable_on_chain_id),
      blockHeight: BigInt(height),
      blockTime: Number(time),
      stake: toStakeWindow(row),
      rewardType: row.reward_type,
    },
  ];
}

function toStakeWindow({ is_stake_output, staked, stake_start, stake_end }: UtxoRow): StakeWindow | null {
  if (!is_stake_output) return null;
  return { isStaked: staked, start: Number(stake_start), end: Number(stake_end) };
}

function toConsumedUtxo(row: UtxoRow): ConsumedUtxo[] {
  if (row.consuming_tx_id === null) return [];
  return [
    {
      ...utxoFields(row),
      amount: BigInt(row.amount),
      createdOnChainId: toId(row.created_on_chain_id),
      consumingTxId: toId(row.consuming_tx_id),
      blockHeight: BigInt(row.consuming_block_height ?? -1),
      blockTime: Number(row.consuming_block_time),
    },
  ];
}

function utxoFields(row: UtxoRow) {
  return {
    utxoId: toId(row.utxo_id),
    txId: toId(row.tx_id),
    outputIndex: Number(row.output_index),
    assetId: toId(row.asset_id),
  };
}

function toBlockchain(row: BlockchainRow): Blockchain {
  return {
    blockchainId: toId(row.blockchain_id),
    subnetId: toId(row.subnet_id),
    name: row.name,
    vmId: toId(row.vm_id),
    fxIds: row.fx_ids.map(toId),
    genesisData: new Uint8Array(row.genesis_data),
    blockHeight: row.block_height === null ? null : BigInt(row.block_height),
    blockTime: Number(row.block_time),
  };
}

function toTransaction(row: TransactionRow): TransactionRecord {
  return {
    txId: toId(row.tx_id),
    type: row.type,
    blockHeight: BigInt(row.block_height),
    blockTime: Number(row.block_time),
    isCommitted: row.is_committed,
    burned: BigInt(row.burned),
  };
}
