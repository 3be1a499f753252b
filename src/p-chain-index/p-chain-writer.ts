import { Injectable } from '@nestjs/common';
import type { NetworkName } from '../config/config.module.js';
import type { Id } from '../avalanche/platformvm/ids.js';
import type { StateChanges } from '../avalanche/platformvm/state/changes.js';
import type { Delegator, Subnet, Validator } from '../avalanche/platformvm/state/records.js';
import type { UpgradeTimes } from '../avalanche/platformvm/state/upgrade-times.js';
import { P_CHAIN } from '../database/chains.js';
import { Database, type Transaction } from '../database/database.js';
import { partitionOf } from '../database/partition.js';
import { IndexError } from '../indexing/index.error.js';
import { withIndexLock } from '../indexing/index-lock.js';
import type { BlockRef } from './sources/p-chain-node.js';
import {
  DELEGATOR_REWARD_ADDRESSES,
  DELEGATORS,
  listed,
  NODES,
  rewardAddresses,
  toNode,
  VALIDATORS,
} from './sql/staker-tables.js';
import { BLOCKCHAINS, L1_VALIDATORS, SUBNET_STAKES, SUBNETS, withGenesis } from './sql/subnet-tables.js';
import { TRANSACTIONS } from './sql/transaction-table.js';
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
  constructor(private readonly database: Database) {}

  /**
   * Throws OTHER_WRITER and CHECKPOINT_MOVED when another process is at it, ROW_REFUSED when the tables cannot hold it,
   * PlatformVmError STATE_MISMATCH when a spent UTXO is not there, or not the one that we know.
   */
  async write(batch: Batch): Promise<void> {
    const { network, changes } = batch;
    await withIndexLock(this.database, { network, chain: P_CHAIN }, async (transaction) => {
      await moveCheckpoint(transaction, batch);
      await writeStakers(transaction, batch);
      await SUBNETS.upsert(transaction, network, [...changes.subnets.values()]);
      await SUBNET_STAKES.upsert(transaction, network, [...changes.stakes.values()]);
      await L1_VALIDATORS.upsert(transaction, network, [...changes.l1Validators.values()]);
      await BLOCKCHAINS.insert(transaction, network, changes.blockchains.map(withGenesis));
      await TRANSACTIONS.upsert(transaction, network, [...changes.transactions.values()]);
      await writeUtxos(transaction, network, changes, batch.letters);
    });
  }

  /** Forgets everything about a network's P-chain, so that indexing begins at its genesis again. */
  async reset(network: NetworkName): Promise<void> {
    await withIndexLock(this.database, { network, chain: P_CHAIN }, async (transaction) => {
      const partitions = PARTITIONED_TABLES.map((table) => partitionOf(table, network));
      await transaction.execute({ text: `TRUNCATE ${partitions.join(', ')}`, values: [] });
      await transaction.execute({
        text: 'DELETE FROM index_checkpoints WHERE network = $1 AND chain = $2',
        values: [network, P_CHAIN],
      });
    });
  }
}

/** Compare and set: of two processes with the same state only one gets to write. */
async function moveCheckpoint(transaction: Transaction, batch: Batch): Promise<void> {
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
  const statement =
    after === null
      ? {
          text: `INSERT INTO index_checkpoints (network, chain, height, block_id, block_time, state)
                 VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
          values,
        }
      : {
          text: `UPDATE index_checkpoints SET height = $3, block_id = $4, block_time = $5, state = $6, updated_at = now()
                 WHERE network = $1 AND chain = $2 AND height = $7 AND block_id = $8`,
          values: [...values, after.height.toString(), Buffer.from(after.blockId, 'hex')],
        };
  if ((await transaction.execute(statement)) === 1) return;
  throw new IndexError(
    'CHECKPOINT_MOVED',
    `the checkpoint is no longer at height ${after?.height ?? 'none'}`,
  );
}

async function writeStakers(transaction: Transaction, batch: Batch): Promise<void> {
  const { network, changes, getSubnet } = batch;
  const validators: Validator[] = [];
  const delegators: Delegator[] = [];
  for (const staker of changes.stakers.values()) {
    if (staker.kind === 'validator') validators.push(staker);
    else delegators.push(staker);
  }
  const nodeIds = new Set(validators.map(({ nodeId }) => nodeId));
  await VALIDATORS.upsert(
    transaction,
    network,
    validators.map((validator) => listed(validator, getSubnet(validator.subnetId))),
  );
  await NODES.insertMissing(transaction, network, [...nodeIds].map(toNode));
  await DELEGATORS.upsert(transaction, network, delegators);
  await DELEGATOR_REWARD_ADDRESSES.upsert(transaction, network, delegators.flatMap(rewardAddresses));
}
