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
 * The chains that are indexed. Each block of a chain is as new as the one before, so that the newest one proves all seconds before it. Of
 * the X- and the C-chain, which may be quiet for days, also that a node's tip was no higher, as far as the P-chain has come: the
 * node was not stuck then.
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
        CASE WHEN p.tip_height <= c.height THEN floor(extract(epoch FROM p.updated_at)) END AS "tipSeenAt"
      FROM index_checkpoints c LEFT JOIN index_progress p USING (network, chain)
      WHERE c.network = $1 AND c.chain = ANY ($2::text[]) AND c.height >= 0`,
    values: [network, Object.values(names)],
  });
  const imports = cChain && (await findKnownImports(database, cChain));
  const find = (chain: PrimaryChain, quietUntil: number, since: number): [PrimaryChain, CoveredChain][] => {
    const row = rows.find((each) => each.chain === names[chain]);
    if (row === undefined) return [];
    const timestampSeconds = Number(row.time);
    const seen = row.tipSeenAt === null ? 0 : Number(row.tipSeenAt) - LAG_SECONDS;
    const until = Math.max(timestampSeconds, Math.min(seen, quietUntil));
    return [[chain, { since, until, height: BigInt(row.height), timestampSeconds }]];
  };
  const [p] = find('P', 0, 0);
  const pTime = p?.[1].timestampSeconds ?? 0;
  return new Map([
    ...(p === undefined ? [] : [p]),
    ...find('X', pTime, 0),
    ...(imports === undefined ? [] : find('C', pTime, Number(imports.since))),
  ]);
}
