import type { IdHex, ShortIdHex } from '../../avalanche/ids/text.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { partitionOf, type PrimaryChain } from '../../platform/database/chains.js';
import { avaxOfIndexes } from '../../platform/database/network-partitions.js';
import { columnsWithout } from '../../platform/database/entity-columns.js';
import { setOf, toBytes } from '../../platform/database/shaped-query.js';
import {
  FOLLOWS,
  type Keyset,
  follows,
  keysetParameters,
  type PagePlace,
} from '../../platform/http/pagination/keyset.js';
import type { SortOrder } from '../../platform/http/schemas/query.schema.js';
import { UtxoEntity } from '../../indexes/utxos/utxo.entities.js';
import type { SpendKnowledge } from './known-spends.js';

export const UTXO_SORT_KEYS = ['timestamp', 'amount'] as const;
type UtxoSortKey = (typeof UTXO_SORT_KEYS)[number];

const SORT_COLUMNS = {
  timestamp: { column: 'block_time', property: 'blockTime', type: 'bigint' },
  amount: { column: 'amount', property: 'amount', type: 'numeric' },
} as const;

export const UTXO = columnsWithout(UtxoEntity, 'network');

type KnownUtxo = ReturnType<typeof UTXO.read>;
/** A UTXO is listed once its creation is known. */
export type UtxoRow = KnownUtxo & {
  readonly [Name in 'amount' | 'blockHeight' | 'blockTime' | 'owner']: NonNullable<KnownUtxo[Name]>;
};

/** SQL text with the values of its parameters. */
interface Fragment {
  readonly text: string;
  readonly values: Readonly<Record<string, unknown>>;
}

export interface UtxoListRequest extends PagePlace {
  readonly network: NetworkName;
  readonly chain: PrimaryChain;
  readonly filters: {
    /** A UTXO fits when these reach its threshold. Without it, every UTXO of the chain does. */
    readonly addresses?: readonly ShortIdHex[] | undefined;
    readonly assetId?: IdHex | undefined;
    readonly minAmount: bigint;
    readonly includeSpent: boolean;
    /** Of others that are not recorded as spent nobody knows whether they are, and none is listed. */
    readonly spendsKnown: SpendKnowledge;
  };
  readonly sortBy: UtxoSortKey;
  readonly sortOrder: SortOrder;
}

/**
 * Conditions that all walks share, as SQL of `l`. On the X-chain one index begins with the asset and has all rows; the one that does not
 * leaves out AVAX, which most of them are. Both are named as the indexes have it.
 */
function shares(
  { network, chain, filters }: UtxoListRequest,
  parameters: NamedParameters,
): readonly string[] {
  if (filters.assetId !== undefined) return [`l.asset_id = ${parameters.addBytes(filters.assetId)}`];
  if (chain !== 'X') return ['true'];
  const avax = `'\\x${avaxOfIndexes(network)}'::bytea`;
  return [`l.asset_id = ${avax}`, `l.asset_id <> ${avax}`];
}

/** The empty address is the list of the whole chain. */
const WHOLE_CHAIN = '';

export function listedAddresses({ filters }: UtxoListRequest): readonly string[] {
  return filters.addresses ?? [WHOLE_CHAIN];
}

/**
 * Up to this many UTXOs of at least the wanted amount are taken all and sorted by time; when an address has more of them, walking
 * its list by time and comparing soon fills a page.
 */
const MAX_SORTED_UTXOS = 1_000;

/**
 * Whether an address (`address.value`) has so few large UTXOs. The planner cannot know: it knows how many UTXOs an address has on average,
 * and owners of one and of a million are far from it. A limit that it does not know either makes it walk the amounts in their order: where
 * it expects no more UTXOs than the limit, it would read and sort all of them.
 */
export function hasFewLargeUtxos(request: UtxoListRequest): Fragment {
  const { network, chain, filters } = request;
  const parameters = new NamedParameters();
  const spent = parameters.add(spentValues(request));
  const atLeast = parameters.add(filters.minAmount.toString());
  const large = shares(request, parameters).map(
    (share) => `
             (SELECT FROM ${partitionOf('utxo_listings', network, chain)} l
               WHERE l.address = address.value AND l.is_spent = spent.value AND ${share}
                 AND l.amount >= ${atLeast}::numeric
               ORDER BY l.amount DESC, l.utxo_id DESC LIMIT (SELECT ${MAX_SORTED_UTXOS + 1}))`,
  );
  const text = `(
         SELECT count(*) FROM (
           SELECT FROM unnest(${spent}::boolean[]) AS spent (value) CROSS JOIN LATERAL (${large.join(' UNION ALL ')}
           ) large
           LIMIT ${MAX_SORTED_UTXOS + 1}
         ) counted
       ) <= ${MAX_SORTED_UTXOS}`;
  return { text, values: parameters.values };
}

/** Whether the list has to be split by `hasFewLargeUtxos`. */
export function comparesAmounts({ filters, sortBy }: UtxoListRequest): boolean {
  return filters.minAmount > 0n && sortBy === 'timestamp';
}

/**
 * The keys of a page: one walk over an index of each table for each address and for unspent and spent, merged. `few` are addresses
 * with few large UTXOs.
 */
export function pageOf(request: UtxoListRequest, few: readonly string[]): Fragment {
  const { sortOrder, limit } = request;
  const { column } = SORT_COLUMNS[request.sortBy];
  const parameters = new NamedParameters();
  const ways = [
    { way: 'by key', addresses: listedAddresses(request).filter((address) => !few.includes(address)) },
    { way: 'by amount', addresses: few },
  ] as const;
  const walks = shares(request, parameters).flatMap((share) =>
    walkedTables(request).flatMap((table) =>
      ways
        .filter(({ addresses }) => addresses.length > 0)
        .map((way) => walk({ request, table, share, ...way }, parameters)),
    ),
  );
  const text = `SELECT DISTINCT found.${column} AS key, found.utxo_id FROM (${walks.join(' UNION ALL ')}) found
           ORDER BY key ${sortOrder}, utxo_id ${sortOrder} LIMIT ${limit}`;
  return { text, values: parameters.values };
}

/** Where a walk goes, and of which of the unspent ones it is known that they are, as SQL of `l`. */
interface WalkedTable {
  readonly name: string;
  readonly spent: readonly boolean[];
  readonly known: (request: UtxoListRequest, parameters: NamedParameters) => readonly string[];
}

function walkedTables(request: UtxoListRequest): readonly WalkedTable[] {
  const { network, chain, filters } = request;
  const all = {
    name: partitionOf('utxo_listings', network, chain),
    spent: spentValues(request),
    known: isNewer,
  };
  return filters.spendsKnown.checkedFromHeight === undefined ? [all] : [all, CHECKED];
}

function isNewer({ filters }: UtxoListRequest, parameters: NamedParameters): string[] {
  const { since } = filters.spendsKnown;
  if (since === 0n) return [];
  return [
    `l.block_time >= CASE WHEN spent.value THEN 0 ELSE ${parameters.add(since.toString())}::bigint END`,
  ];
}

/** Those that were unspent when a node was asked for them, and of which nothing else has come to light since. */
const CHECKED: WalkedTable = {
  name: 'utxo_checks',
  spent: [false],
  known: ({ network, filters }, parameters) => {
    const { checkedFromHeight = 0n } = filters.spendsKnown;
    return [
      `l.network = '${network}' AND NOT l.is_spent AND l.height >= ${parameters.add(checkedFromHeight.toString())}::bigint`,
      // No EXISTS: joined, all of an account's would be looked up and sorted before the first page is cut off.
      `(SELECT u.block_time IS NOT NULL AND u.consuming_tx_id IS NULL FROM ${partitionOf('utxos', network)} u
         WHERE u.network = '${network}' AND u.utxo_id = l.utxo_id)`,
    ];
  },
};

/**
 * Every inner query walks an index in its order and stops early. The planner, which takes all owners for alike, is left no choice:
 * nothing is compared before OFFSET 0 has the rows in order, and large UTXOs come in the order of their amounts.
 */
function walk(
  {
    request,
    table: { name: table, spent, known },
    addresses,
    share,
    way,
  }: {
    readonly request: UtxoListRequest;
    readonly table: WalkedTable;
    readonly addresses: readonly string[];
    readonly share: string;
    readonly way: 'by key' | 'by amount';
  },
  parameters: NamedParameters,
): string {
  const { filters, sortBy, sortOrder, limit } = request;
  const { column } = SORT_COLUMNS[sortBy];
  const conditions = [...listConditions(request, parameters), ...known(request, parameters), share].join(
    ' AND ',
  );
  const atLeast =
    filters.minAmount === 0n
      ? 'true'
      : `l.amount >= ${parameters.add(filters.minAmount.toString())}::numeric`;
  const inOrder = `ORDER BY l.${column} ${sortOrder}, l.utxo_id ${sortOrder}`;
  const walked = (where: string, order: string): string =>
    `(SELECT l.block_time, l.amount, l.utxo_id FROM ${table} l WHERE ${where} ${order}) l`;
  let from: string;
  if (way === 'by amount') {
    const largest = `ORDER BY l.amount DESC, l.utxo_id DESC LIMIT ${2 * MAX_SORTED_UTXOS}`;
    from = `${walked(`${conditions} AND ${atLeast}`, largest)} ${inOrder}`;
  } else if (comparesAmounts(request)) {
    from = `${walked(conditions, `${inOrder} OFFSET 0`)} WHERE ${atLeast}`;
  } else {
    from = `${table} l WHERE ${conditions} AND ${atLeast} ${inOrder}`;
  }
  return `
    SELECT listed.${column}, listed.utxo_id
      FROM ${parameters.addSet('bytea', addresses.map(toBytes))} AS address (value)
     CROSS JOIN ${parameters.addSet('boolean', spent)} AS spent (value)
     CROSS JOIN LATERAL (SELECT l.${column}, l.utxo_id FROM ${from} LIMIT ${limit}) listed`;
}

function listConditions(request: UtxoListRequest, parameters: NamedParameters): string[] {
  const { network, filters, sortBy, sortOrder } = request;
  const { column, type } = SORT_COLUMNS[sortBy];
  const keys = { [`l.${column}`]: type, 'l.utxo_id': 'bytea' } as const;
  Object.assign(parameters.values, keysetParameters(keys, request.after));
  return [
    'l.address = address.value',
    'l.is_spent = spent.value',
    ...(filters.addresses === undefined
      ? []
      : [
          canConsumeListed(
            network,
            `IN (SELECT ${parameters.addSet('bytea', filters.addresses.map(toBytes))})`,
          ),
        ]),
    ...(request.after === undefined ? [] : [follows(keys, FOLLOWS[sortOrder])]),
  ];
}

/** Whether addresses reach the threshold of a UTXO `u`; `areThey`: the comparison of an owner with them. */
export function canConsume(areThey: string): string {
  return `(u.owner_threshold <= 1 OR ${ownersAmong('u.owner_addresses', areThey)} >= u.owner_threshold)`;
}

/**
 * The same of an entry `l` of theirs, which does not have the other owners: whoever makes an output of a thousand would fill a thousand
 * rows with all of them.
 */
function canConsumeListed(network: NetworkName, areThey: string): string {
  const utxos = partitionOf('utxos', network);
  const isReached = `SELECT ${canConsume(areThey)} FROM ${utxos} u WHERE u.network = '${network}' AND u.utxo_id = l.utxo_id`;
  return `(l.threshold <= 1 OR (${isReached}))`;
}

/** How many of the owners are among some addresses, as SQL. */
export function ownersAmong(owners: string, areThey: string): string {
  return `(SELECT count(*) FROM unnest(${owners}) owner WHERE owner ${areThey})`;
}

function spentValues({ filters }: UtxoListRequest): readonly boolean[] {
  return filters.includeSpent ? [false, true] : [false];
}

export function keysetOf(sortBy: UtxoSortKey, row: UtxoRow): Keyset {
  return [String(row[SORT_COLUMNS[sortBy].property]), row.utxoId];
}

/** Collects values under names of their own while SQL text is put together; the text is then part of a query's shape. */
class NamedParameters {
  readonly values: Record<string, unknown> = {};

  add(value: unknown): string {
    return `:${this.nameOf(value)}`;
  }

  /** Hex digits as bytea. */
  addBytes(hex: string): string {
    return `${this.add(toBytes(hex))}::bytea`;
  }

  /** As `setOf`. */
  addSet(type: 'bytea' | 'boolean', elements: readonly unknown[]): string {
    return setOf(this.nameOf(elements), type);
  }

  private nameOf(value: unknown): string {
    const name = `p${Object.keys(this.values).length}`;
    this.values[name] = value;
    return name;
  }
}
