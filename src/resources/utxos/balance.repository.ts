import { Injectable } from '@nestjs/common';
import type { ShortIdHex } from '../../avalanche/ids/text.js';
import type { OutputKind } from '../../indexes/utxos/utxo.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { partitionOf, type PrimaryChain } from '../../platform/database/chains.js';
import type { Statement } from '../../platform/database/database.js';
import { ListDatabase } from '../../platform/database/list-database.js';
import { toBytes } from '../../platform/database/shaped-query.js';
import type { SpendKnowledge } from './known-spends.js';
import { canConsume, ownersAmong } from './utxo-list.js';

/** An owner of more has them listed, page by page. Anybody can make another one own many. */
export const MAX_SUMMED_UTXOS = 100_000;

/** `shared`: exported to the chain and not yet imported. `platform`: no transaction can consume it before a time. */
export type HoldingState =
  | 'unlocked'
  | 'staked'
  | 'pending'
  | 'platform'
  | 'stakeable'
  | 'stakeable-staked'
  | 'shared'
  | 'shared-locked';

/** Of one asset and state. Amounts are decimal text, ids hex. */
export interface Holding {
  readonly state: HoldingState;
  readonly assetId: string;
  readonly outputKind: OutputKind | null;
  /** The chain that exported it. */
  readonly sharedWith: string | null;
  readonly amount: string;
  readonly count: number;
}

export interface BalanceRequest {
  readonly network: NetworkName;
  readonly chain: PrimaryChain;
  readonly chainId: string;
  readonly addresses: readonly ShortIdHex[];
  /** UNIX seconds. */
  readonly at: number;
  /** Whether that is before now. */
  readonly isPast: boolean;
  readonly spendsKnown: SpendKnowledge;
}

type SumRow = (Holding | { readonly state: null }) & { readonly isAll: boolean };

/** Sums of the UTXOs that addresses together can consume, at a time. */
@Injectable()
export class BalanceRepository {
  constructor(private readonly database: ListDatabase) {}

  /** Undefined when there are more than MAX_SUMMED_UTXOS. */
  async sum(request: BalanceRequest): Promise<Holding[] | undefined> {
    const rows = await this.database.query<SumRow>(this.statement(request));
    return rows[0]?.isAll === true
      ? rows.filter((row): row is Holding & SumRow => row.state !== null)
      : undefined;
  }

  statement(request: BalanceRequest): Statement {
    return statementOf(request);
  }

  /** nAVAX that auto-renewed validations have restaked for the addresses. */
  async restaked(network: NetworkName, addresses: readonly ShortIdHex[]): Promise<string> {
    const part = (accrued: string, owner: string): string =>
      `CASE WHEN ${ownersAmong(`v.${owner}_owner_addresses`, IS_REQUESTED)} >= greatest(v.${owner}_owner_threshold, 1) THEN v.auto_renewal_accrued_${accrued} ELSE 0 END`;
    const [row] = await this.database.query<{ readonly amount: string }>({
      text: `SELECT coalesce(sum(${part('validation_rewards', 'validation_rewards')} + ${part('delegatee_rewards', 'delegation_rewards')}), 0)::text AS amount
          FROM ${partitionOf('validators', network)} v
         WHERE v.status = 'active' AND v.auto_renewal_next_period IS NOT NULL`,
      values: [addresses.map(toBytes)],
    });
    return row?.amount ?? '0';
  }
}

const IS_REQUESTED = '= ANY ($1::bytea[])';

/**
 * The lists of the addresses lead to the UTXOs, whose rows know the rest. Of now, the unspent entries suffice; of a time before, what
 * was spent since counts, too.
 */
function statementOf({ network, chain, isPast, ...request }: BalanceRequest): Statement {
  const { addresses, chainId, at, spendsKnown } = request;
  const listings = partitionOf('utxo_listings', network, chain);
  const walk = (from: string, spent: boolean, known: string): string =>
    `SELECT l.utxo_id FROM unnest($1::bytea[]) AS address (value) CROSS JOIN LATERAL (
       SELECT l.utxo_id FROM ${from} l
        WHERE l.address = address.value AND l.is_spent = ${spent} AND l.block_time <= $2::bigint AND ${known} LIMIT $4::int + 1) l`;
  const walks = [
    walk(listings, false, 'l.block_time >= $5::bigint'),
    ...(isPast ? [walk(listings, true, 'true')] : []),
    ...(spendsKnown.checkedFromHeight === undefined
      ? []
      : [walk('utxo_checks', false, `l.network = '${network}' AND l.height >= $6::bigint`)]),
  ];
  return {
    text: `WITH listed AS MATERIALIZED (
          SELECT * FROM (${walks.join(' UNION ALL ')}) l LIMIT $4::int + 1
        ), held AS (
          SELECT DISTINCT u.utxo_id, u.asset_id, u.output_kind, u.amount, ${stateIn(network)} AS state,
                 CASE WHEN u.created_on_chain_id <> $3::bytea THEN u.created_on_chain_id END AS shared_with
            FROM listed l JOIN ${partitionOf('utxos', network)} u ON u.network = '${network}' AND u.utxo_id = l.utxo_id
           WHERE (SELECT count(*) <= $4::int FROM listed) AND ${canConsume(IS_REQUESTED)}
             AND u.spendable_on_chain_id = $3::bytea AND u.block_time IS NOT NULL
             AND (u.consuming_tx_id IS NULL OR u.consuming_block_time > $2::bigint)
             AND (u.output_kind IS NULL OR u.output_kind IN ('nft_transfer', 'property_owned'))
        )
        SELECT summed.*, (SELECT count(*) <= $4::int FROM listed) AS "isAll"
          FROM (VALUES (1)) AS always LEFT JOIN (
            SELECT state, encode(asset_id, 'hex') AS "assetId", output_kind AS "outputKind", encode(shared_with, 'hex') AS "sharedWith",
                   sum(amount)::text AS amount, count(*)::int AS count
              FROM held GROUP BY state, asset_id, output_kind, shared_with
             ORDER BY state, sum(amount) DESC, asset_id
          ) summed ON true`,
    values: [
      addresses.map(toBytes),
      at,
      toBytes(chainId),
      MAX_SUMMED_UTXOS,
      spendsKnown.since.toString(),
      ...(spendsKnown.checkedFromHeight === undefined ? [] : [spendsKnown.checkedFromHeight.toString()]),
    ],
    onePlan: false,
  };
}

/**
 * HoldingState of `u` at `$2`, on the chain `$3`. A stake that has ended keeps its window; one that renews itself has that of its current
 * or last cycle, and did not wait for it.
 */
function stateIn(network: NetworkName): string {
  const renewsItself = `EXISTS (SELECT FROM ${partitionOf('validators', network)} v
           WHERE v.network = '${network}' AND v.tx_id = u.tx_id AND v.auto_renewal_next_period IS NOT NULL)`;
  return `CASE
  WHEN u.created_on_chain_id <> $3::bytea THEN CASE WHEN u.owner_locktime > $2::bigint THEN 'shared-locked' ELSE 'shared' END
  WHEN u.is_stake_output AND (u.staked OR u.stake_end > $2::bigint) THEN
    CASE WHEN u.stake_start > $2::bigint AND NOT ${renewsItself} THEN 'pending'
         WHEN u.stakeable_locktime > $2::bigint THEN 'stakeable-staked'
         ELSE 'staked' END
  WHEN u.owner_locktime > $2::bigint THEN 'platform'
  WHEN u.stakeable_locktime > $2::bigint THEN 'stakeable'
  ELSE 'unlocked' END`;
}
