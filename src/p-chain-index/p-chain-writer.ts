import { Injectable } from '@nestjs/common';
import { DataSource, type QueryRunner } from 'typeorm';
import type { NetworkName } from '../config/config.module.js';
import type { Id } from '../avalanche/platformvm/ids.js';
import type { StateChanges } from '../avalanche/platformvm/state/changes.js';
import type {
  Delegator,
  Subnet,
  TransactionRecord,
  Validator,
} from '../avalanche/platformvm/state/records.js';
import type { UpgradeTimes } from '../avalanche/platformvm/state/upgrade-times.js';
import { P_CHAIN } from '../database/chains.js';
import { delegationCapacity } from './delegation-capacity.js';
import { IndexError } from '../indexing/index.error.js';
import { withIndexLock } from '../indexing/index-lock.js';
import type { BlockRef } from './sources/p-chain-node.js';
import { DELEGATOR_REWARD_ADDRESSES, DELEGATORS, NODES, VALIDATORS } from './sql/staker-tables.js';
import { BLOCKCHAINS, L1_VALIDATORS, SUBNET_STAKES, SUBNETS, toBlockchainRow } from './sql/subnet-tables.js';
import { column, Table } from '../indexing/sql/table.js';
import { type ChainLetters, writeUtxos } from './sql/utxo-statements.js';

/** What the checkpoint keeps besides the tip: it proves at the next start that the node and the rows belong together. */
export interface ChainIdentity {
  readonly networkId: number;
  readonly genesisId: Id;
}

export interface Batch {
  readonly network: NetworkName;
  /** The checkpoint that the changes follow; null for those of the genesis. */
  readonly after: BlockRef | null;
  readonly changes: StateChanges;
  readonly identity: ChainIdentity;
  /** Those that the changes were worked out with. */
  readonly upgrades: UpgradeTimes;
  /** For the API's answers. */
  readonly avaxAssetId: Id;
  readonly letters: ChainLetters;
  /** A subnet as the state has it now. */
  readonly getSubnet: (subnetId: Id) => Subnet | undefined;
}

const TRANSACTIONS = new Table<TransactionRecord>({
  name: 'p_chain_transactions',
  key: ['tx_id'],
  columns: [
    column('tx_id', 'bytea', ({ txId }) => txId),
    column('type', 'text', ({ type }) => type),
    column('block_height', 'bigint', ({ blockHeight }) => blockHeight),
    column('block_time', 'bigint', ({ blockTime }) => blockTime),
    column('is_committed', 'boolean', ({ isCommitted }) => isCommitted),
    column('burned', 'numeric', ({ burned }) => burned),
  ],
});

/** Partitions with what the P-chain's blocks made; the chains that other indexes read are not in them yet. */
const PARTITIONED_TABLES = [
  'p_chain_transactions',
  'nodes',
  'validators',
  'delegators',
  'delegator_reward_addresses',
  'subnets',
  'blockchains',
  'subnet_stakes',
  'l1_validators',
  'utxos',
  'utxo_listings',
] as const;

/** Writes what blocks did: all of a batch and the checkpoint in one transaction, or nothing. */
@Injectable()
export class PChainWriter {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Throws OTHER_WRITER and CHECKPOINT_MOVED when another process is at it, ROW_REFUSED when the tables cannot hold it,
   * PlatformVmError STATE_MISMATCH when a spent UTXO is not there, or not the one that we know.
   */
  async write(batch: Batch): Promise<void> {
    const { network, changes } = batch;
    await withIndexLock(this.dataSource, network, P_CHAIN, async (runner) => {
      await moveCheckpoint(runner, batch);
      await writeStakers(runner, batch);
      await SUBNETS.upsert(runner, network, [...changes.subnets.values()]);
      await SUBNET_STAKES.upsert(runner, network, [...changes.stakes.values()]);
      await L1_VALIDATORS.upsert(runner, network, [...changes.l1Validators.values()]);
      await BLOCKCHAINS.insert(runner, network, changes.blockchains.map(toBlockchainRow));
      await TRANSACTIONS.upsert(runner, network, [...changes.transactions.values()]);
      await writeUtxos(runner, network, changes, batch.letters);
    });
  }

  /** Forgets everything about a network's P-chain, so that indexing begins at its genesis again. */
  async reset(network: NetworkName): Promise<void> {
    await withIndexLock(this.dataSource, network, P_CHAIN, async (runner) => {
      await runner.query(`TRUNCATE ${PARTITIONED_TABLES.map((table) => `${table}_${network}`).join(', ')}`);
      await runner.query('DELETE FROM index_checkpoints WHERE network = $1 AND chain = $2', [
        network,
        P_CHAIN,
      ]);
    });
  }
}

/** Compare and set: of two processes with the same state only one gets to write. */
async function moveCheckpoint(runner: QueryRunner, batch: Batch): Promise<void> {
  const { network, after, identity } = batch;
  const { tip } = batch.changes;
  const state = {
    accruedFees: tip.accruedFees.toString(),
    validatorExcess: tip.validatorExcess.toString(),
    genesisId: identity.genesisId,
    networkId: identity.networkId,
    avaxAssetId: batch.avaxAssetId,
    upgrades: batch.upgrades,
  };
  const values = [
    network,
    P_CHAIN,
    tip.height.toString(),
    Buffer.from(tip.blockId, 'hex'),
    tip.time,
    JSON.stringify(state),
  ];
  const { affected } =
    after === null
      ? await runner.query(
          `INSERT INTO index_checkpoints (network, chain, height, block_id, block_time, state)
           VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
          values,
          true,
        )
      : await runner.query(
          `UPDATE index_checkpoints SET height = $3, block_id = $4, block_time = $5, state = $6, updated_at = now()
           WHERE network = $1 AND chain = $2 AND height = $7 AND block_id = $8`,
          [...values, after.height.toString(), Buffer.from(after.blockId, 'hex')],
          true,
        );
  if (affected === 1) return;
  throw new IndexError(
    'CHECKPOINT_MOVED',
    `the checkpoint is no longer at height ${after?.height ?? 'none'}`,
  );
}

async function writeStakers(runner: QueryRunner, batch: Batch): Promise<void> {
  const { network, changes, getSubnet } = batch;
  const validators: Validator[] = [];
  const delegators: Delegator[] = [];
  for (const staker of changes.stakers.values()) {
    if (staker.kind === 'validator') validators.push(staker);
    else delegators.push(staker);
  }
  const rows = validators.map((validator) => ({
    validator,
    delegationCapacity: delegationCapacity(validator, getSubnet(validator.subnetId)),
  }));
  const addresses = delegators.flatMap((delegator) =>
    delegator.rewardsOwner.addresses.map((address) => ({ address, delegator })),
  );
  await VALIDATORS.upsert(runner, network, rows);
  await NODES.insertMissing(runner, network, [...new Set(validators.map(({ nodeId }) => nodeId))]);
  await DELEGATORS.upsert(runner, network, delegators);
  await DELEGATOR_REWARD_ADDRESSES.upsert(runner, network, addresses);
}
