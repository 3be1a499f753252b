import { findKnownImports } from '../../indexes/evm/facets/known-imports.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import {
  evmChainName,
  type EvmChainRef,
  P_CHAIN,
  type PrimaryChain,
  PRIMARY_CHAIN_NAMES,
  X_CHAIN,
} from '../../platform/database/chains.js';
import type { Queryable } from '../../platform/database/database.js';
import { LAG_SECONDS } from '../turns/quiet-chains.js';

/** Of which seconds the tables have all that a chain has done. */
export interface CoveredChain {
  /** UNIX seconds: from then on, and before then. */
  readonly since: number;
  readonly until: number;
  /** The newest block that is indexed. */
  readonly height: bigint;
  readonly timestampSeconds: number;
}

export type LedgerCoverage = ReadonlyMap<PrimaryChain, CoveredChain>;

/**
 * The chains that are indexed. Each block of a chain is as new as the one before, so that the newest one proves all seconds before it. The
 * X- and the C-chain may be quiet for days. Of the X-chain, whose blocks come from where those of the P-chain do, it is enough that the tip
 * was no higher, as far as the P-chain has come; of the C-chain, `withQuietC` adds what its own nodes prove.
 */
export async function readLedgerCoverage(
  database: Queryable,
  network: NetworkName,
  cChain: EvmChainRef | undefined,
): Promise<LedgerCoverage> {
  const names = {
    P: P_CHAIN,
    X: X_CHAIN,
    C: cChain === undefined ? PRIMARY_CHAIN_NAMES.C : evmChainName(cChain.chainId),
  };
  const rows = await database.query<{
    chain: string;
    height: string;
    time: string;
    tipSeenAt: string | null;
  }>({
    text: `SELECT c.chain, c.height, c.block_time AS time,
        CASE WHEN p.tip_height <= c.height THEN floor(extract(epoch FROM p.tip_seen_at)) END AS "tipSeenAt"
      FROM index_checkpoints c LEFT JOIN index_progress p USING (network, chain)
      WHERE c.network = $1 AND c.chain = ANY ($2::text[]) AND c.height >= 0`,
    values: [network, Object.values(names)],
  });
  const imports = cChain && (await findKnownImports(database, cChain));
  const rowOf = (chain: PrimaryChain) => rows.find((row) => row.chain === names[chain]);
  const find = (chain: PrimaryChain, quietUntil: number, since: number): [PrimaryChain, CoveredChain][] => {
    const row = rowOf(chain);
    if (row === undefined) return [];
    const timestampSeconds = Number(row.time);
    const until = Math.max(timestampSeconds, quietUntil);
    return [[chain, { since, until, height: BigInt(row.height), timestampSeconds }]];
  };
  const tipSeenAt = Number(rowOf('X')?.tipSeenAt ?? 0) - LAG_SECONDS;
  return new Map([
    ...find('P', 0, 0),
    ...find('X', Math.min(tipSeenAt, Number(rowOf('P')?.time ?? 0)), 0),
    ...(imports === undefined ? [] : find('C', 0, Number(imports.since))),
  ]);
}

/** The same, where no block of the C-chain follows the newest one before a time (`QuietChains`). */
export function withQuietC(coverage: LedgerCoverage, quietUntil: number): LedgerCoverage {
  const known = coverage.get('C');
  if (known === undefined) return coverage;
  return new Map(coverage).set('C', { ...known, until: Math.max(known.until, quietUntil) });
}
