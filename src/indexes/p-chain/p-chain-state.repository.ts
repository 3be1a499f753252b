import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { ChainTip } from '../../avalanche/platformvm/state/changes.js';
import type { StateSnapshot } from '../../avalanche/platformvm/state/p-chain-state.js';
import type { UpgradeTimes } from '../../avalanche/platformvm/state/upgrade-times.js';
import { P_CHAIN } from '../../platform/database/chains.js';
import { Database, type Queryable, type Transaction } from '../../platform/database/database.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import {
  columnsWithout,
  type EntityClass,
  readAll,
  tableNameOf,
} from '../../platform/database/entity-columns.js';
import { type RecentBlock, RecentBlocksSchema } from './recent-blocks.js';
import { findCheckpoint } from '../engine/progress/checkpoints.js';
import type { ChainIdentity } from './p-chain-writer.js';
import { DelegatorEntity } from './entities/delegator.entities.js';
import { L1ValidatorEntity } from './entities/l1-validator.entity.js';
import { SubnetEntity, SubnetStakeEntity } from './entities/subnet.entities.js';
import { ValidatorEntity } from './entities/validator.entity.js';

export interface Checkpoint {
  readonly tip: ChainTip;
  readonly identity: ChainIdentity;
  /** By which the rows were worked out. */
  readonly upgrades: UpgradeTimes;
  readonly recentBlocks: readonly RecentBlock[];
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
  upgrades: UpgradeTimesSchema,
  recentBlocks: RecentBlocksSchema,
});

/** Reads back what the writer wrote: a state restored from the rows equals the one that they were written from. */
@Injectable()
export class PChainStateRepository {
  constructor(private readonly database: Database) {}

  /** Undefined before the genesis was written. */
  findCheckpoint(network: NetworkName): Promise<Checkpoint | undefined> {
    return readCheckpoint(this.database, network);
  }

  /** All that later blocks build on, in one consistent view. Undefined before the genesis was written. */
  load(network: NetworkName): Promise<{ checkpoint: Checkpoint; snapshot: StateSnapshot } | undefined> {
    return this.database.transaction(
      async (transaction) => {
        const checkpoint = await readCheckpoint(transaction, network);
        if (checkpoint === undefined) return undefined;
        return { checkpoint, snapshot: await readSnapshot(transaction, network, checkpoint.tip) };
      },
      { begin: 'BEGIN ISOLATION LEVEL REPEATABLE READ' },
    );
  }
}

async function readCheckpoint(source: Queryable, network: NetworkName): Promise<Checkpoint | undefined> {
  const stored = await findCheckpoint(source, { network, chain: P_CHAIN });
  if (stored === undefined) return undefined;
  const { accruedFees, validatorExcess, upgrades, recentBlocks, ...identity } = CheckpointStateSchema.parse(
    stored.state,
  );
  const { height, blockId, blockTime: time } = stored;
  const tip = { height, blockId: blockId.toString('hex'), time, accruedFees, validatorExcess };
  return { tip, identity, upgrades, recentBlocks };
}

async function readSnapshot(
  transaction: Transaction,
  network: NetworkName,
  tip: ChainTip,
): Promise<StateSnapshot> {
  const read = <Row extends { readonly network: string }>(
    entity: EntityClass<Row>,
    condition = 'true',
  ): Promise<Omit<Row, 'network'>[]> =>
    readAll(
      transaction,
      columnsWithout(entity, 'network'),
      `FROM ${tableNameOf(entity)} WHERE network = $1 AND ${condition}`,
      [network],
    );
  const isRunning = "status IN ('pending', 'active')";
  const validators = await readAll(
    transaction,
    VALIDATOR,
    `FROM validators WHERE network = $1 AND ${isRunning}`,
    [network],
  );
  const delegators = await readAll(
    transaction,
    DELEGATOR,
    `FROM delegators WHERE network = $1 AND ${isRunning}`,
    [network],
  );
  return {
    tip,
    stakers: [
      ...validators.map((validator) => ({ kind: 'validator', ...validator }) as const),
      ...delegators.map((delegator) => ({ kind: 'delegator', ...delegator }) as const),
    ],
    stakes: await read(SubnetStakeEntity),
    subnets: await read(SubnetEntity),
    l1Validators: await read(L1ValidatorEntity, 'weight > 0'),
  };
}

/** As the state machine has them. */
export const DELEGATOR = columnsWithout(DelegatorEntity, 'network', 'validatorPart');
export const VALIDATOR = columnsWithout(
  ValidatorEntity,
  'network',
  'nodeIdText',
  'delegationCapacity',
  'uptimePerformance',
);
