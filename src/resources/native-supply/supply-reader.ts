import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, IsNull } from 'typeorm';
import { WEI_PER_NANO_AVAX } from '../../avalanche/evm/blocks/atomic-transactions.js';
import { type Address, BURN_ADDRESS } from '../../avalanche/evm/rpc/hex-values.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { evmChainName, P_CHAIN, X_CHAIN } from '../../platform/database/chains.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import {
  IndexCheckpoint,
  IndexProgressEntity,
} from '../../indexes/engine/progress/index-progress.entities.js';
import { L1ValidatorEntity } from '../../indexes/p-chain/entities/l1-validator.entity.js';
import { PChainTotal } from '../../indexes/p-chain/entities/p-chain-transaction.entities.js';
import { SubnetStakeEntity } from '../../indexes/p-chain/entities/subnet.entities.js';
import { ValidatorEntity } from '../../indexes/p-chain/entities/validator.entity.js';
import { UtxoEntity } from '../../indexes/utxos/utxo.entities.js';
import { XChainTotal } from '../../indexes/x-chain/entities/x-chain.entities.js';
import { readAtomicBurned } from './atomic-burned.js';
import { IncompleteSupplyError } from './incomplete-supply.error.js';
import type { SupplyParts } from './supply.js';

/** How long the last report of an index counts. */
const PROGRESS_COUNTS = '10 minutes';

/** Sums of the tables, at one moment. nAVAX. */
interface TableParts extends Omit<SupplyParts, 'cBurnedWei'> {
  readonly atomicBurned: bigint;
  readonly cHeight: bigint;
  readonly avaxAssetId: string;
  readonly baselineHeight: bigint | null;
}

/** All parts, of one moment, and what the C-chain's is made of. */
export interface ReadSupply
  extends SupplyParts, Pick<TableParts, 'cHeight' | 'avaxAssetId' | 'baselineHeight'> {
  readonly chain: EvmChain;
  readonly atomicBurnedWei: bigint;
}

/** Reads what the supply is made of, when all of it is indexed to the tips, and only then. */
@Injectable()
export class SupplyReader {
  constructor(
    private readonly dataSource: DataSource,
    private readonly chains: EvmChains,
  ) {}

  /** Throws IncompleteSupplyError, and RpcError when no node reports the balance of the burn address. */
  async read(network: NetworkName, signal: AbortSignal): Promise<ReadSupply> {
    const { atomicBurned, ...parts } = await this.readTables(network);
    const { chain, cHeight } = parts;
    const fees = await this.chains.clientOf(chain).balanceAt({ ...burnAddressAt(cHeight), signal });
    const atomicBurnedWei = atomicBurned * WEI_PER_NANO_AVAX;
    return { ...parts, atomicBurnedWei, cBurnedWei: fees + atomicBurnedWei };
  }

  /** The part that needs no node. Throws IncompleteSupplyError. */
  async readTables(network: NetworkName): Promise<TableParts & { chain: EvmChain }> {
    const chain = this.chains.cChainOf(network);
    if (chain === undefined) throw new IncompleteSupplyError(`no C-chain of ${network} is configured`);
    const parts = await this.dataSource.transaction('REPEATABLE READ', (manager) =>
      readTables(manager, network, chain),
    );
    return { ...parts, chain };
  }
}

/** Whose balance is asked for, and when. */
export function burnAddressAt(height: bigint): { address: Address; height: bigint } {
  return { address: BURN_ADDRESS, height };
}

async function readTables(
  manager: EntityManager,
  network: NetworkName,
  chain: EvmChain,
): Promise<TableParts> {
  await expectAtTip(manager, network, P_CHAIN);
  await expectAtTip(manager, network, X_CHAIN);
  const cHeight = await expectAtTip(manager, network, evmChainName(chain.chainId));
  const { avaxAssetId, ...ofP } = await readPChain(manager, network);
  const atomic = await readAtomicBurned(manager, chain, { avaxAssetId, height: cHeight });
  const xBurned = (await manager.findOneBy(XChainTotal, { network }))?.burned ?? 0n;
  const locked = manager
    .createQueryBuilder(UtxoEntity, 'u')
    .select('SUM(u.amount)', 'sum')
    .where({ network, assetId: avaxAssetId, consumingTxId: IsNull() })
    .andWhere('(u.stakeableLocktime IS NOT NULL OR u.owner.locktime > 0)')
    .andWhere('GREATEST(u.stakeableLocktime, u.owner.locktime) > extract(epoch FROM now())');
  const { sum } = (await locked.getRawOne<{ sum: string | null }>()) ?? { sum: null };
  return {
    ...ofP,
    xBurned,
    locked: BigInt(sum ?? 0),
    atomicBurned: atomic.burned,
    baselineHeight: atomic.baselineHeight,
    cHeight,
    avaxAssetId,
  };
}

/** The height of its newest block, which has to be the tip that the index last saw, or a later one. */
async function expectAtTip(manager: EntityManager, network: NetworkName, chain: string): Promise<bigint> {
  const row = await manager
    .createQueryBuilder(IndexCheckpoint, 'c')
    .leftJoin(IndexProgressEntity, 'p', 'p.network = c.network AND p.chain = c.chain')
    .select('c.height', 'height')
    .addSelect(
      `CASE
        WHEN p.state IS NULL OR p.tipHeight IS NULL THEN 'its index has not said where the tip is'
        WHEN p.state <> 'running' THEN 'its index is ' || p.state || COALESCE(': ' || p.message, '')
        WHEN p.updatedAt < now() - interval '${PROGRESS_COUNTS}' THEN 'its index has not reported for ${PROGRESS_COUNTS}'
        WHEN c.height < p.tipHeight THEN concat('its index is at ', c.height, ' of ', p.tipHeight)
      END`,
      'problem',
    )
    .where({ network, chain })
    .getRawOne<{ height: string; problem: string | null }>();
  const problem = row === undefined ? 'it is not indexed' : row.problem;
  if (row === undefined || problem !== null) {
    throw new IncompleteSupplyError(`${chain} of ${network}: ${problem}`);
  }
  return BigInt(row.height);
}

interface PChainRow {
  /** Hex. */
  avaxAssetId: string;
  spent: string;
  rewarded: string;
  burned: string;
  /** Of active L1 validators. */
  balances: string;
  /** Rewards that validators who renew themselves have staked again. */
  restaked: string;
  staked: string;
}

async function readPChain(
  manager: EntityManager,
  network: NetworkName,
): Promise<
  Pick<SupplyParts, 'rewards' | 'pBurned' | 'l1ValidatorFees' | 'staked'> & { avaxAssetId: string }
> {
  const row = await manager
    .createQueryBuilder(IndexCheckpoint, 'c')
    .innerJoin(PChainTotal, 't', 't.network = c.network')
    .select("c.state ->> 'avaxAssetId'", 'avaxAssetId')
    .addSelect('t.spent', 'spent')
    .addSelect('t.rewarded', 'rewarded')
    .addSelect('t.burned', 'burned')
    .addSelect(
      (balances) =>
        balances
          .select(`COALESCE(SUM(l.endAccumulatedFee - (c.state ->> 'accruedFees')::numeric), 0)`)
          .from(L1ValidatorEntity, 'l')
          .where('l.network = :network AND l.weight > 0 AND l.endAccumulatedFee > 0'),
      'balances',
    )
    .addSelect(
      (restaked) =>
        restaked
          .select(
            'COALESCE(SUM(v.autoRenewal.accruedValidationRewards + v.autoRenewal.accruedDelegateeRewards), 0)',
          )
          .from(ValidatorEntity, 'v')
          .where(`v.network = :network AND v.status = 'active' AND v.autoRenewal.nextPeriod IS NOT NULL`),
      'restaked',
    )
    .addSelect(
      (staked) =>
        staked
          .select('s.totalWeight')
          .from(SubnetStakeEntity, 's')
          .where('s.network = :network AND s.subnetId = :primary'),
      'staked',
    )
    .where('c.network = :network AND c.chain = :chain')
    .setParameters({ network, chain: P_CHAIN, primary: Buffer.alloc(32) })
    .getRawOne<PChainRow>();
  if (row === undefined) throw new IncompleteSupplyError(`${P_CHAIN} of ${network}: it is not indexed`);
  const paidIn = BigInt(row.spent) - BigInt(row.burned);
  const l1ValidatorFees = paidIn - BigInt(row.balances);
  return {
    avaxAssetId: row.avaxAssetId,
    rewards: BigInt(row.rewarded) + BigInt(row.restaked),
    pBurned: BigInt(row.burned) + l1ValidatorFees,
    l1ValidatorFees,
    staked: BigInt(row.staked),
  };
}
