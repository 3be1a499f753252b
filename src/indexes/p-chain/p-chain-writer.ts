import { Injectable } from '@nestjs/common';
import type { NetworkName } from '../../platform/config/config.module.js';
import { type Id, PRIMARY_NETWORK } from '../../avalanche/platformvm/ids.js';
import type { StateChanges } from '../../avalanche/platformvm/state/changes.js';
import type { Delegator, Subnet, Validator } from '../../avalanche/platformvm/state/records.js';
import type { UpgradeTimes } from '../../avalanche/platformvm/state/upgrade-times.js';
import { P_CHAIN, partitionOf } from '../../platform/database/chains.js';
import { Database, type Transaction } from '../../platform/database/database.js';
import { moveCheckpoint, removeCheckpoint, type StoredCheckpoint } from '../engine/progress/checkpoints.js';
import { withIndexLock } from '../engine/following/index-lock.js';
import { lockTables } from '../engine/sql/table-locks.js';
import { forgetUtxosOf, utxoTables } from '../utxos/forget-utxos.js';
import { ListingsVacuum } from '../utxos/listings-vacuum.js';
import type { ChainAliases } from '../utxos/utxo.js';
import { writeUtxos } from '../utxos/write-utxos.js';
import type { BlockRef } from './sources/p-chain-source.js';
import { type RecentBlock, recentBlocksToJson } from './recent-blocks.js';
import {
  BLOCKCHAINS,
  DELEGATOR_REWARD_ADDRESSES,
  DELEGATORS,
  L1_VALIDATORS,
  NODES,
  SUBNET_STAKES,
  SUBNETS,
  toBlockchainRow,
  toDelegatorRow,
  toNodeRow,
  toRewardAddressRows,
  toValidatorRow,
  TRANSACTIONS,
  VALIDATION_CYCLES,
  VALIDATORS,
} from './p-chain-tables.js';
import {
  STAKING_LISTINGS,
  STAKING_TRANSACTIONS,
  writeStakingTransactions,
} from './write-staking-transactions.js';
import { VALIDATOR_SET_MEMBERS, writeValidatorSets } from './write-validator-sets.js';
import { addTotals, NOTHING, totalsOf } from './totals.js';

/** State in the checkpoint besides the tip: it proves at the next start that the node and the rows belong together. */
export interface ChainIdentity {
  readonly networkId: number;
  readonly genesisId: Id;
}

export interface Batch {
  readonly network: NetworkName;
  /** The checkpoint that the changes follow; undefined for those of the genesis. */
  readonly after: BlockRef | undefined;
  readonly changes: StateChanges;
  readonly identity: ChainIdentity;
  /** Those that the changes were worked out with. */
  readonly upgrades: UpgradeTimes;
  readonly recentBlocks: readonly RecentBlock[];
  /** For the API's answers. */
  readonly avaxAssetId: Id;
  readonly aliases: ChainAliases;
  /** A subnet in its current state. */
  readonly getSubnet: (subnetId: Id) => Subnet | undefined;
}

/**
 * Partitions with what the P-chain's blocks made; the chains that other indexes read are not in them yet. In the order in which the
 * lists read them.
 */
const PARTITIONED_TABLES = [
  TRANSACTIONS,
  NODES,
  VALIDATORS,
  VALIDATION_CYCLES,
  SUBNET_STAKES,
  L1_VALIDATORS,
  VALIDATOR_SET_MEMBERS,
  DELEGATOR_REWARD_ADDRESSES,
  DELEGATORS,
  STAKING_LISTINGS,
  STAKING_TRANSACTIONS,
  SUBNETS,
  BLOCKCHAINS,
];

/** Writes what blocks did: all of a batch and the checkpoint in one transaction, or nothing. */
@Injectable()
export class PChainWriter {
  readonly listingsVacuum: ListingsVacuum;

  constructor(private readonly database: Database) {
    this.listingsVacuum = new ListingsVacuum(database, 'P');
  }

  /**
   * Throws OTHER_WRITER and CHECKPOINT_MOVED when another process is at it, ROW_REFUSED when the tables cannot hold it,
   * STATE_MISMATCH when a spent UTXO is not there, or not the one that we know.
   */
  async write(batch: Batch): Promise<void> {
    const { network, changes } = batch;
    await withIndexLock(this.database, { network, chain: P_CHAIN }, async (transaction) => {
      await moveCheckpoint(
        transaction,
        { network, chain: P_CHAIN },
        toPlace(batch.after),
        toCheckpoint(batch),
      );
      await writeStakers(transaction, batch);
      await VALIDATION_CYCLES.insert(transaction, network, changes.settledCycles);
      await SUBNETS.upsert(transaction, network, [...changes.subnets.values()]);
      await SUBNET_STAKES.upsert(transaction, network, [...changes.stakes.values()]);
      await L1_VALIDATORS.upsert(transaction, network, [...changes.l1Validators.values()]);
      await writeValidatorSets(transaction, network, changes.validatorSetChanges);
      await BLOCKCHAINS.insert(transaction, network, changes.blockchains.map(toBlockchainRow));
      await addTotals(
        transaction,
        network,
        batch.after === undefined ? NOTHING : totalsOf(changes, batch.avaxAssetId),
      );
      await TRANSACTIONS.upsert(transaction, network, [...changes.transactions.values()]);
      await writeUtxos(
        transaction,
        { network, chainId: PRIMARY_NETWORK, aliases: batch.aliases },
        {
          created: changes.createdUtxos,
          consumed: changes.consumedUtxos,
          stakeWindows: changes.stakeWindows,
        },
      );
      await writeStakingTransactions(transaction, network, changes);
    });
  }

  /** After many blocks. Where it is cut off, autovacuum does the rest. */
  async settle(network: NetworkName, signal: AbortSignal): Promise<void> {
    await this.listingsVacuum.comeOften(network);
    const partitions = PARTITIONED_TABLES.map(({ name }) => partitionOf(name, network));
    await this.database.vacuum([...utxoTables(network), ...partitions], signal);
  }

  /** Forgets everything about a network's P-chain, so that indexing begins at its genesis again; records of UTXOs by other chains stay. */
  async reset(network: NetworkName): Promise<void> {
    const reset = async (transaction: Transaction): Promise<void> => {
      const partitions = PARTITIONED_TABLES.map(({ name }) => partitionOf(name, network));
      await lockTables(transaction, [...partitions, ...utxoTables(network)]);
      await transaction.execute({ text: `TRUNCATE ${partitions.join(', ')}`, values: [] });
      const aliases = new Map([[PRIMARY_NETWORK, 'P']] as const);
      await forgetUtxosOf(transaction, { network, chainId: PRIMARY_NETWORK, aliases });
      await transaction.execute({ text: 'DELETE FROM p_chain_totals WHERE network = $1', values: [network] });
      await removeCheckpoint(transaction, { network, chain: P_CHAIN });
    };
    await withIndexLock(this.database, { network, chain: P_CHAIN }, reset, { statementTimeoutMs: 0 });
  }
}

function toPlace(block: BlockRef | undefined): Pick<StoredCheckpoint, 'height' | 'blockId'> | undefined {
  return block && { height: block.height, blockId: Buffer.from(block.blockId, 'hex') };
}

/** With what proves at the next start that node and rows belong together, and what the API's answers need. */
function toCheckpoint({
  changes: { tip },
  identity,
  avaxAssetId,
  upgrades,
  recentBlocks,
}: Batch): StoredCheckpoint {
  const { height, blockId, time: blockTime, accruedFees, validatorExcess } = tip;
  const fees = { accruedFees: accruedFees.toString(), validatorExcess: validatorExcess.toString() };
  const recent = recentBlocksToJson(recentBlocks);
  const state = { ...fees, ...identity, avaxAssetId, upgrades, recentBlocks: recent };
  return { height, blockId: Buffer.from(blockId, 'hex'), blockTime, state };
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
    validators.map((validator) => toValidatorRow(validator, getSubnet(validator.subnetId))),
  );
  await NODES.insertMissing(transaction, network, [...nodeIds].map(toNodeRow));
  await DELEGATORS.upsert(transaction, network, delegators.map(toDelegatorRow));
  await DELEGATOR_REWARD_ADDRESSES.upsert(transaction, network, delegators.flatMap(toRewardAddressRows));
}
