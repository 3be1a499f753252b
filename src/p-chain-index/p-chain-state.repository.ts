import { Injectable } from '@nestjs/common';
import { DataSource, type QueryRunner } from 'typeorm';
import { z } from 'zod';
import type { ChainTip } from '../avalanche/platformvm/state/changes.js';
import type { StateSnapshot } from '../avalanche/platformvm/state/p-chain-state.js';
import type { UpgradeTimes } from '../avalanche/platformvm/state/upgrade-times.js';
import { P_CHAIN } from '../database/chains.js';
import type { NetworkName } from '../config/config.module.js';
import type { ChainIdentity } from './p-chain-writer.js';
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
} from './sql/read-records.js';
import { select } from '../indexing/sql/select.js';

export interface Checkpoint {
  readonly tip: ChainTip;
  readonly identity: ChainIdentity;
  /** By which the rows were worked out; null on record of a version that did not keep them. */
  readonly upgrades: UpgradeTimes | null;
}

interface CheckpointRow {
  height: string;
  block_id: Buffer;
  block_time: string;
  state: unknown;
}

const UpgradeTimesSchema = z.object({
  banff: z.number(),
  cortina: z.number(),
  durango: z.number(),
  etna: z.number(),
  helicon: z.number(),
});

const CheckpointStateSchema = z.object({
  accruedFees: z.string().transform(BigInt),
  validatorExcess: z.string().transform(BigInt),
  genesisId: z.string(),
  networkId: z.number(),
  upgrades: UpgradeTimesSchema.nullable().default(null),
});

/** Reads back what the writer wrote: a state restored from the rows equals the one that they were written from. */
@Injectable()
export class PChainStateRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Null before the genesis was written. */
  findCheckpoint(network: NetworkName): Promise<Checkpoint | null> {
    return readCheckpoint(this.dataSource, network);
  }

  /** All that later blocks build on, in one consistent view. Null before the genesis was written. */
  async load(network: NetworkName): Promise<{ checkpoint: Checkpoint; snapshot: StateSnapshot } | null> {
    const runner = this.dataSource.createQueryRunner();
    await runner.connect();
    try {
      await runner.startTransaction('REPEATABLE READ');
      const checkpoint = await readCheckpoint(runner, network);
      const snapshot = checkpoint === null ? null : await readSnapshot(runner, network, checkpoint.tip);
      await runner.commitTransaction();
      return checkpoint === null || snapshot === null ? null : { checkpoint, snapshot };
    } catch (error) {
      await runner.rollbackTransaction().catch(() => undefined);
      throw error;
    } finally {
      await runner.release();
    }
  }
}

async function readCheckpoint(
  source: DataSource | QueryRunner,
  network: NetworkName,
): Promise<Checkpoint | null> {
  const [row] = await select<CheckpointRow>(
    source,
    'SELECT height, block_id, block_time, state FROM index_checkpoints WHERE network = $1 AND chain = $2',
    [network, P_CHAIN],
  );
  if (row === undefined) return null;
  const { accruedFees, validatorExcess, upgrades, ...identity } = CheckpointStateSchema.parse(row.state);
  const tip = {
    height: BigInt(row.height),
    blockId: toId(row.block_id),
    time: Number(row.block_time),
    accruedFees,
    validatorExcess,
  };
  return { tip, identity, upgrades };
}

async function readSnapshot(
  runner: QueryRunner,
  network: NetworkName,
  tip: ChainTip,
): Promise<StateSnapshot> {
  const read = <Row>(table: string, condition = 'true'): Promise<Row[]> =>
    select<Row>(runner, `SELECT * FROM ${table} WHERE network = $1 AND ${condition}`, [network]);
  const isRunning = "status IN ('pending', 'active')";
  const validators = await read<ValidatorRow>('validators', isRunning);
  const delegators = await read<DelegatorRow>('delegators', isRunning);
  const stakes = await read<SubnetStakeRow>('subnet_stakes');
  const subnets = await read<SubnetRow>('subnets');
  const l1Validators = await read<L1ValidatorRow>('l1_validators', 'weight > 0');
  return {
    tip,
    stakers: [...validators.map(toValidator), ...delegators.map(toDelegator)],
    stakes: stakes.map(toSubnetStake),
    subnets: subnets.map(toSubnet),
    l1Validators: l1Validators.map(toL1Validator),
  };
}
