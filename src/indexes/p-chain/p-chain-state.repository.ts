import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { ChainTip } from '../../avalanche/platformvm/state/changes.js';
import type { StateSnapshot } from '../../avalanche/platformvm/state/p-chain-state.js';
import type { UpgradeTimes } from '../../avalanche/platformvm/state/upgrade-times.js';
import { P_CHAIN } from '../../platform/database/chains.js';
import { Database, type Queryable, type Transaction } from '../../platform/database/database.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { findCheckpoint } from '../engine/progress/checkpoints.js';
import type { ChainIdentity } from './p-chain-writer.js';
import { DELEGATOR, VALIDATOR } from './sql/staker-tables.js';
import { L1_VALIDATOR, SUBNET, SUBNET_STAKE } from './sql/subnet-tables.js';
import { type Field, readAll } from '../engine/sql/field.js';

export interface Checkpoint {
  readonly tip: ChainTip;
  readonly identity: ChainIdentity;
  /** By which the rows were worked out; null on record of a version that did not keep them. */
  readonly upgrades: UpgradeTimes | null;
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
  const { accruedFees, validatorExcess, upgrades, ...identity } = CheckpointStateSchema.parse(stored.state);
  const { height, blockId, blockTime: time } = stored;
  const tip = { height, blockId: blockId.toString('hex'), time, accruedFees, validatorExcess };
  return { tip, identity, upgrades };
}

async function readSnapshot(
  transaction: Transaction,
  network: NetworkName,
  tip: ChainTip,
): Promise<StateSnapshot> {
  const read = <Value, Row extends object>(
    field: Field<Value, Row>,
    table: string,
    condition = 'true',
  ): Promise<Value[]> =>
    readAll(transaction, field, `FROM ${table} WHERE network = $1 AND ${condition}`, [network]);
  const isRunning = "status IN ('pending', 'active')";
  const validators = await read(VALIDATOR, 'validators', isRunning);
  const delegators = await read(DELEGATOR, 'delegators', isRunning);
  return {
    tip,
    stakers: [...validators, ...delegators],
    stakes: await read(SUBNET_STAKE, 'subnet_stakes'),
    subnets: await read(SUBNET, 'subnets'),
    l1Validators: await read(L1_VALIDATOR, 'l1_validators', 'weight > 0'),
  };
}
