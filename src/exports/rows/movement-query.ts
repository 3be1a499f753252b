import { WEI_PER_NANO_AVAX } from '../../avalanche/evm/blocks/atomic-transactions.js';
import { type Address, BURN_ADDRESS } from '../../avalanche/evm/rpc/hex-values.js';
import { neutraliseText } from '../../avalanche/evm/transfers/spreadsheet-text.js';
import { BEFORE_TRANSACTIONS } from '../../avalanche/evm/transfers/transfers.js';
import { evmChainKey } from '../../platform/database/chains.js';
import { mayBeWithin, mayHave } from '../../indexes/evm/rows/partition-indexes.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import { P_CHAIN_ID } from './atomic-movement.js';
import { formatUnits, type OtherChain } from './csv.js';

export interface MovementQuery {
  readonly chain: Pick<EvmChain, 'network' | 'chainId' | 'name' | 'nativeSymbol' | 'nativeDecimals'>;
  /** AVAX on the network, hex; undefined while that is not known: then no import or export counts as AVAX. */
  readonly avaxAssetId: string | undefined;
  /** At least one. */
  readonly addresses: readonly Address[];
  /** Both included. */
  readonly fromHeight: bigint;
  readonly toHeight: bigint;
}

/**
 * Settings of the transaction that the query runs in.
 *
 * Rows are always found by the heights or the addresses. The planner cannot know that: the statistics of tables that grow
 * this fast are old, and now and then it would read a whole partition for a few blocks.
 */
export const MOVEMENT_QUERY_SETTINGS: Readonly<Record<string, string>> = {
  enable_seqscan: 'off',
  // The rows of one COPY are sorted in memory.
  work_mem: '64MB',
  // Costs more than it saves for queries of this length.
  jit: 'off',
  DateStyle: 'ISO, YMD',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
};

/** A COPY waits for the storage; a slow one is no defect of the query. */
export const MOVEMENT_QUERY_TIMEOUT_MS = 300_000;

const IN_ORDER = 'height, tx_index, step, position';
const ADDRESS = /^0x[0-9a-f]{40}$/;
const ID = /^[0-9a-f]{64}$/;
const SYMBOL = /^[A-Za-z0-9.$]+$/;
/** Where atomic transactions come: behind the last transaction, as what belongs to the block comes before the first. */
const BEHIND_TRANSACTIONS = 2 ** 31 - 1;
/** Names that a spreadsheet would execute begin so: they have no spaces in front (token-metadata.ts). */
const FORMULA_STARTS = `('=', '+', '-', '@', '\uff1d', '\uff0b', '\uff0d', '\uff20')`;

/**
 * The rows of an export that the tables hold, formatted as {@link formatCsvRow} does it once COPY writes them as CSV, in
 * the order of heights, transactions, and within one NATIVE, INTERNAL, tokens and FEE; mints without a transaction before, and
 * atomic transactions behind the others of their block.
 *
 * COPY takes no parameters, so the values stand in the text: numbers, and text that is checked here.
 */
export function movementQuery(query: MovementQuery): string {
  const { chain, addresses } = query;
  const isOurs = (column: string): string => isAmong(column, addresses);
  const isPaid = `kind = 'FEE' AND ${isOurs('from_address')}`;
  return `
SELECT ${chain.chainId} AS chain_id, ${text(neutraliseText(chain.name))} AS chain_name, height, block_time, timestamp 'epoch' + make_interval(secs => block_time) AS date_time,
  CASE WHEN tx_index = ${BEHIND_TRANSACTIONS} THEN cb58(tx_hash) ELSE ${hex('tx_hash')} END,
  CASE WHEN tx_index NOT IN (${BEFORE_TRANSACTIONS}, ${BEHIND_TRANSACTIONS}) THEN tx_index END,
  CASE WHEN trace_path IS NOT NULL THEN 'call_' || trace_path
       WHEN batch_index IS NULL THEN log_index::text
       ELSE log_index || '_' || batch_index END,
  CASE WHEN ${isOurs('from_address')} THEN CASE WHEN ${isOurs('to_address')} THEN 'SELF' ELSE 'OUT' END ELSE 'IN' END,
  kind, COALESCE(${hex('from_address')}, other_chain), COALESCE(${hex('to_address')}, other_chain), ${hex('contract')},
  NULLIF(symbol, ''),
  CASE WHEN left(name, 1) IN ${FORMULA_STARTS} THEN '''' || name ELSE NULLIF(name, '') END, decimals, token_id,
  amount, trim_scale(amount * unit),
  CASE WHEN ${isPaid} THEN amount END, CASE WHEN ${isPaid} THEN trim_scale(amount * unit) END,
  CASE WHEN is_success THEN 'success' ELSE 'failed' END, ${hex('method_id')}
FROM (${movementRows(query)} ORDER BY ${IN_ORDER}) rows
ORDER BY ${IN_ORDER}`;
}

/** By how much those rows change the balances of the addresses: `address`, `height` and `change` in raw units, ascending by height. */
export function balanceChangesQuery(query: MovementQuery): string {
  return `
SELECT ${hex('account')} AS address, height,
  sum(CASE WHEN to_address = account THEN amount ELSE 0 END - CASE WHEN from_address = account THEN amount ELSE 0 END)::text AS change
FROM (${movementRows(query)}) rows CROSS JOIN unnest(${addressList(query.addresses)}) AS account
WHERE kind NOT LIKE 'ERC%' AND unit IS NOT NULL AND account IN (from_address, to_address)
GROUP BY account, height
ORDER BY height`;
}

/** Whether any of those rows names a token that no node could be asked about yet: then it gives a row. */
export function unaskedTokensQuery(query: MovementQuery): string {
  const isIndexed = (column: string): string => isIndexedAmong(column, query.addresses);
  return `
SELECT FROM evm_transfers t JOIN evm_tokens k ON k.chain_key = t.chain_key AND k.contract = t.contract
 WHERE ${indexedRangeOf(query)} AND (${isIndexed('t.from_address')} OR ${isIndexed('t.to_address')}) AND k.failure IS NOT NULL
 LIMIT 1`;
}

/** Of any of the addresses. */
function movementRows(query: MovementQuery): string {
  const { chain, avaxAssetId, addresses } = query;
  const key = evmChainKey(chain);
  const indexedRange = indexedRangeOf(query);
  const isOurs = (column: string): string => isAmong(column, addresses);
  const isIndexed = (column: string): string => isIndexedAmong(column, addresses);
  const feeRecipient = `COALESCE(t.fee_recipient, ${bytes(BURN_ADDRESS)})`;
  // Every transaction pays the address without an owner: it is in no index.
  const paysUs = addresses.includes(BURN_ADDRESS) ? isOurs(feeRecipient) : isIndexed('t.fee_recipient');
  const symbol = symbolLiteral(chain.nativeSymbol);
  const decimals = String(chain.nativeDecimals);
  const unit = `${formatUnits(1n, chain.nativeDecimals)}::numeric`;
  const isAvax = avaxAssetId === undefined ? 'false' : `t.asset_id = ${bytes(avaxAssetId, ID)}`;
  const [p, x]: readonly OtherChain[] = ['P-chain', 'X-chain'];
  const otherChain = `CASE WHEN t.blockchain_id = ${bytes(P_CHAIN_ID, ID)} THEN '${p}' ELSE '${x}' END`;
  return `
  SELECT t.height, t.tx_index, m.step, 0 AS position, t.block_time, t.tx_hash, NULL::int AS log_index, NULL::int AS batch_index,
    NULL::text AS trace_path, m.kind, t.from_address, m.to_address, m.contract, NULL::text AS token_id, m.amount, t.is_success,
    t.method_id, ${symbol} AS symbol, NULL::text AS name, ${decimals} AS decimals, ${unit} AS unit,
    NULL::text AS other_chain
  FROM evm_transactions t
  CROSS JOIN LATERAL (
    SELECT 0 AS step, 'NATIVE' AS kind, t.to_address, CASE WHEN t.is_creation THEN t.to_address END AS contract, t.value AS amount
     WHERE t.is_success AND t.to_address IS NOT NULL AND (t.value > 0 OR t.is_creation)
       AND (${isOurs('t.from_address')} OR ${isOurs('t.to_address')})
    UNION ALL
    SELECT 3, 'FEE', ${feeRecipient}, NULL, t.fee WHERE ${isOurs('t.from_address')} OR ${isOurs(feeRecipient)}
  ) m
  WHERE ${indexedRange} AND (${isIndexed('t.from_address')} OR ${isIndexed('t.to_address')} OR ${paysUs})
  UNION ALL
  SELECT t.height, t.tx_index, 1, t.position, t.block_time, t.tx_hash, NULL, NULL, t.trace_path, t.kind, t.from_address,
    t.to_address, t.contract, NULL, t.amount, true, t.method_id, ${symbol}, NULL, ${decimals}, ${unit}, NULL
  FROM evm_internal_transfers t
  WHERE ${indexedRange} AND (${isIndexed('t.from_address')} OR ${isIndexed('t.to_address')})
  UNION ALL
  SELECT t.height, t.tx_index, 2, t.position, t.block_time, t.tx_hash, t.log_index, t.batch_index, NULL, t.kind,
    t.from_address, t.to_address, t.contract, t.token_id::text, t.amount, true, t.method_id,
    CASE WHEN t.kind = 'MINT' THEN ${symbol} ELSE k.csv_symbol END, k.name,
    CASE WHEN t.kind = 'MINT' THEN ${decimals} ELSE k.decimals END,
    CASE WHEN t.kind = 'MINT' THEN ${unit} WHEN t.kind = 'ERC20' THEN k.unit ELSE 1 END, NULL
  FROM evm_transfers t
  LEFT JOIN evm_tokens k ON k.chain_key = ${key} AND k.contract = t.contract
  WHERE ${indexedRange} AND (${isIndexed('t.from_address')} OR ${isIndexed('t.to_address')})
  UNION ALL
  SELECT t.height, ${BEHIND_TRANSACTIONS}, 0, t.position, t.block_time, t.tx_hash, NULL, NULL, NULL, t.kind,
    CASE WHEN t.kind = 'EXPORT' THEN t.address END, CASE WHEN t.kind = 'IMPORT' THEN t.address END,
    NULL, CASE WHEN NOT ${isAvax} THEN cb58(t.asset_id) END,
    CASE WHEN ${isAvax} THEN t.amount * ${WEI_PER_NANO_AVAX} ELSE t.amount END, true, NULL,
    CASE WHEN ${isAvax} THEN ${symbol} END, NULL, CASE WHEN ${isAvax} THEN ${decimals} END, CASE WHEN ${isAvax} THEN ${unit} END,
    ${otherChain}
  FROM evm_atomic_transfers t
  WHERE ${rangeOf(query)} AND ${isOurs('t.address')}`;
}

type Heights = Pick<MovementQuery, 'chain' | 'fromHeight' | 'toHeight'>;

function rangeOf({ chain, fromHeight, toHeight }: Heights): string {
  return `t.chain_key = ${evmChainKey(chain)} AND t.height BETWEEN ${fromHeight} AND ${toHeight}`;
}

/** The same, as the indexes of addresses know it. */
function indexedRangeOf(query: Heights): string {
  return `${rangeOf(query)} AND ${mayBeWithin('t.height', { from: query.fromHeight, to: query.toHeight })}`;
}

function hex(column: string): string {
  return `'0x' || encode(${column}, 'hex')`;
}

function isAmong(column: string, addresses: readonly Address[]): string {
  return `${column} = ANY (${addressList(addresses)})`;
}

/** The same, as the indexes of addresses know it. */
function isIndexedAmong(column: string, addresses: readonly Address[]): string {
  return `(${isAmong(column, addresses)} AND ${mayHave(column, addresses)})`;
}

function addressList(addresses: readonly Address[]): string {
  return `ARRAY[${addresses.map((address) => bytes(address)).join(', ')}]`;
}

function bytes(digits: string, pattern = ADDRESS): string {
  if (!pattern.test(digits)) throw new RangeError('not an address or id');
  return `'\\x${digits.replace(/^0x/, '')}'::bytea`;
}

function symbolLiteral(symbol: string): string {
  if (!SYMBOL.test(symbol)) throw new RangeError('not a symbol');
  return text(symbol);
}

/** With standard_conforming_strings, which is the default, nothing but the quote is special. */
function text(content: string): string {
  if (content.includes('\0')) throw new RangeError('no text that Postgres knows');
  return `'${content.replaceAll("'", "''")}'`;
}
