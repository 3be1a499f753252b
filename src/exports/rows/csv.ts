import type { Address, Hex } from '../../avalanche/evm/rpc/hex-values.js';
import { neutraliseText } from '../../avalanche/evm/transfers/spreadsheet-text.js';
import type { Movement, MovementKind } from '../../avalanche/evm/transfers/transfers.js';

/** MINT: native coins from nowhere; IMPORT and EXPORT: an atomic transaction brings an asset to the EVM, or takes it away. */
type RowKind = MovementKind | 'IMPORT' | 'EXPORT';

/** Stands where an address would, on the side of an atomic transaction that is on another chain. */
export type OtherChain = 'P-chain' | 'X-chain';

export type RowMovement = Omit<Movement, 'kind' | 'txHash' | 'txIndex' | 'tokenId' | 'from' | 'to'> & {
  readonly kind: RowKind;
  /** In hex, of IMPORT and EXPORT in cb58; null of what belongs to a block rather than to a transaction. */
  readonly txHash: string | null;
  /** null of what is none of the EVM's transactions. */
  readonly txIndex: number | null;
  /** null where it is not known: of INTERNAL without a trace. */
  readonly from: Address | OtherChain | null;
  readonly to: Address | OtherChain | null;
  /** Of IMPORT and EXPORT: the asset's id in cb58, unless it is the chain's native one. */
  readonly tokenId: bigint | string | null;
};

/** One row of an export: a movement, seen from the exported addresses. */
export interface ExportRow {
  readonly chainId: bigint;
  readonly chainName: string;
  readonly height: bigint;
  readonly timestampSeconds: number;
  readonly movement: RowMovement;
  readonly direction: Direction;
  readonly isSuccess: boolean;
  readonly methodId: Hex | null;
  /** Symbol, name and decimals of the token; of the chain's native asset, which has no name. null where unknown. */
  readonly symbol: string | null;
  readonly name: string | null;
  readonly decimals: number | null;
}

/** OUT: from an exported address; IN: to one; SELF: both. */
export type Direction = 'IN' | 'OUT' | 'SELF';

/** undefined when the movement concerns none of the addresses. */
export function directionOf(
  { from, to }: Pick<Movement, 'from' | 'to'>,
  addresses: ReadonlySet<Address>,
): Direction | undefined {
  if (addresses.has(from)) return addresses.has(to) ? 'SELF' : 'OUT';
  return addresses.has(to) ? 'IN' : undefined;
}

/** RFC 4180 2.1. */
export const LINE_END = '\r\n';

/**
 * Names and order of the columns. Amount is RawAmount in whole units, FEE rows included, so that native
 * rows add up to the change of a balance. FeeWei and FeeAmount repeat it on FEE rows of exported addresses that paid: each fee once.
 */
export const CSV_COLUMNS = [
  'ChainId',
  'ChainName',
  'BlockNumber',
  'BlockTimestamp',
  'DateTimeUtc',
  'TxHash',
  'TxIndex',
  'LogIndex/TracePath',
  'Direction',
  'Kind',
  'From',
  'To',
  'ContractAddress',
  'TokenSymbol',
  'TokenName',
  'TokenDecimals',
  'TokenId',
  'RawAmount',
  'Amount',
  'FeeWei',
  'FeeAmount',
  'Status',
  'MethodId',
] as const;

export function formatCsvHeader(): string {
  return `${CSV_COLUMNS.join(',')}${LINE_END}`;
}

/**
 * One row with its line end.
 *
 * Only names and symbols are text of external origin; everything else is a number, hex or a word of ours and needs neither quotes nor
 * neutralisation, which keeps a row cheap. No column is signed: direction is the sign.
 */
export function formatCsvRow(row: ExportRow): string {
  const { movement } = row;
  const raw = movement.amount.toString();
  const decimals = isCounted(movement) ? 0 : row.decimals;
  const amount = decimals === null ? '' : formatUnits(movement.amount, decimals);
  const isPaid = movement.kind === 'FEE' && row.direction !== 'IN';
  return (
    `${row.chainId},${formatTextCell(row.chainName)},${row.height},${row.timestampSeconds},` +
    `${formatDateTime(row.timestampSeconds)},${movement.txHash ?? ''},${movement.txIndex ?? ''},${positionOf(movement)},` +
    `${row.direction},${movement.kind},${movement.from ?? ''},${movement.to ?? ''},${movement.contract ?? ''},` +
    `${formatTextCell(row.symbol ?? '')},${formatTextCell(row.name ?? '')},${row.decimals ?? ''},` +
    `${movement.tokenId ?? ''},${raw},${amount},${isPaid ? raw : ''},${isPaid ? amount : ''},` +
    `${row.isSuccess ? 'success' : 'failed'},${row.methodId ?? ''}${LINE_END}`
  );
}

/** Both standards count whole tokens, whatever the contract's `decimals`; ERC-1155 leaves them to metadata outside the chain. */
function isCounted({ kind }: RowMovement): boolean {
  return kind === 'ERC721' || kind === 'ERC1155';
}

/**
 * `7` is a log, `7_0` an item of its batch, `call_0_2` a place in the call tree: with underscores and a word in front, so
 * that no spreadsheet takes it for a date or a fraction.
 */
function positionOf({ logIndex, batchIndex, tracePath }: RowMovement): string {
  if (tracePath !== null) return `call_${tracePath}`;
  if (logIndex === null) return '';
  return batchIndex === null ? `${logIndex}` : `${logIndex}_${batchIndex}`;
}

/** `2026-11-21 07:15:52`, which spreadsheets read as a date. */
export function formatDateTime(timestampSeconds: number): string {
  const iso = new Date(timestampSeconds * 1000).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}`;
}

/** Characters that Postgres quotes as well, so that both write the same bytes. */
const NEEDS_QUOTES = /[",\r\n]/;

/**
 * A cell of text: with a single quote in front when a spreadsheet would execute it, in double quotes where RFC 4180 wants
 * them.
 */
export function formatTextCell(text: string): string {
  const safe = neutraliseText(text);
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * Exact decimal form of an amount of raw units, without trailing zeros: `formatUnits(1500n, 3)` is `1.5`.
 * No amount is negative; `decimals` is 0 to 255.
 */
export function formatUnits(raw: bigint, decimals: number): string {
  const digits = raw.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
