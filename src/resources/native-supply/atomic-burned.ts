import { type EntityManager, MoreThanOrEqual } from 'typeorm';
import type { NetworkName } from '../../platform/config/config.module.js';
import { evmChainKey, evmChainName } from '../../platform/database/chains.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import { IndexCoverageEntity } from '../../indexes/engine/coverage/index-coverage.entity.js';
import { type HeightRange, subtract } from '../../indexes/engine/coverage/height-range.js';
import {
  EvmAtomicTotal,
  EvmAtomicTransaction,
} from '../../indexes/evm/entities/evm-atomic-transaction.entity.js';
import { ATOMIC } from '../../indexes/evm/facets/facets.js';
import { IncompleteSupplyError } from './incomplete-supply.error.js';
import { SupplyBaseline } from './supply-baseline.entity.js';

interface AtomicBurned {
  /** nAVAX. */
  readonly burned: bigint;
  /** The height of what an operator vouches for, where it rests on that. */
  readonly baselineHeight: bigint | null;
}

/**
 * Sum that atomic transactions have burned up to a height that the index has come to: the running total where all of them are indexed,
 * else what an operator vouches for and all above that. Throws IncompleteSupplyError.
 */
export async function readAtomicBurned(
  manager: EntityManager,
  chain: EvmChain,
  { avaxAssetId, height }: { avaxAssetId: string; height: bigint },
): Promise<AtomicBurned> {
  const missing = await findMissing(manager, chain, { from: 0n, to: height });
  if (missing === undefined) {
    const key = { chainKey: evmChainKey(chain), assetId: avaxAssetId };
    const total = await manager.findOneBy(EvmAtomicTotal, key);
    return { burned: total?.burned ?? 0n, baselineHeight: null };
  }
  const baseline = await manager.findOneBy(SupplyBaseline, { network: chain.network });
  if (baseline === null) throw notIndexed(chain, missing);
  if (baseline.height > height) {
    throw new IncompleteSupplyError(
      `${nameOf(chain)}: its index is at ${height}, the imported baseline at ${baseline.height}`,
    );
  }
  const above = await findMissing(manager, chain, { from: baseline.height + 1n, to: height });
  if (above !== undefined) throw notIndexed(chain, above);
  const burned = baseline.burned + (await sumAbove(manager, chain, avaxAssetId, baseline.height));
  return { burned, baselineHeight: baseline.height };
}

/** The lowest stretch that is not indexed. */
async function findMissing(
  manager: EntityManager,
  { network, chainId }: Pick<EvmChain, 'chainId'> & { network: NetworkName },
  range: HeightRange,
): Promise<HeightRange | undefined> {
  if (range.from > range.to) return undefined;
  const complete = await manager.findBy(IndexCoverageEntity, {
    network,
    chain: evmChainName(chainId),
    facet: ATOMIC.name,
    status: 'complete',
    version: MoreThanOrEqual(ATOMIC.version),
  });
  return subtract(
    range,
    complete.map(({ fromHeight, toHeight }) => ({ from: fromHeight, to: toHeight })),
  )[0];
}

async function sumAbove(
  manager: EntityManager,
  chain: EvmChain,
  avaxAssetId: string,
  height: bigint,
): Promise<bigint> {
  const row = await manager
    .createQueryBuilder(EvmAtomicTransaction, 't')
    .select('SUM((t.burned ->> :avaxAssetId)::numeric)', 'sum')
    .where('t.chainKey = :key AND t.height > :height')
    .setParameters({ avaxAssetId, key: evmChainKey(chain), height })
    .getRawOne<{ sum: string | null }>();
  return BigInt(row?.sum ?? 0);
}

function notIndexed(chain: EvmChain, { from, to }: HeightRange): IncompleteSupplyError {
  return new IncompleteSupplyError(
    `${nameOf(chain)}: imports and exports of blocks ${from} to ${to} are not indexed`,
  );
}

function nameOf({ network, chainId }: EvmChain): string {
  return `${evmChainName(chainId)} of ${network}`;
}
