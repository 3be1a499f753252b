import type { ExportFormat } from '../../../workflows/contracts/export-transactions.js';
import { isCChain } from '../../platform/evm-chains/evm-chain.js';
import { formatTextCell, formatUnits, LINE_END } from './csv.js';
import { type StandardRow, StandardRowReader } from './standard-row.js';

/** Formats of tools for taxes, which want to know what a transaction changed. */
export type TaxFormat = Exclude<ExportFormat, 'standard'>;

const HEADERS: Readonly<Record<TaxFormat, string>> = {
  koinly:
    'Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,Fee Currency,Net Worth Amount,Net Worth Currency,Tag,Description,TxHash',
  cointracker:
    'Date,Received Quantity,Received Currency,Sent Quantity,Sent Currency,Fee Amount,Fee Currency,Tag',
};
/** Last hex digits, by which tokens with equal symbols are distinguished: anybody may name a token as he likes, and try for an address. */
const CONTRACT_DIGITS = 16;

/**
 * WAVAX, by C-chain: it gives as many tokens as it is sent coins, and gives coins back for tokens, with logs that are no transfers
 * (a copy of WETH9). Without the other half wrapping would look like a disposal.
 */
const WRAPPED_AVAX: ReadonlyMap<string, string> = new Map([
  ['43114', '0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7'],
  ['43113', '0xd00ae08403b9bbb9124bb305c09058e32c39a48c'],
]);
const WRAPPED_SYMBOL = 'WAVAX';

/** The change of one asset by a transaction, over all exported addresses. */
interface Change {
  readonly currency: string;
  readonly decimals: number;
  /** Below zero for what was sent. */
  raw: bigint;
}

interface TaxRow {
  readonly sent?: Change | undefined;
  readonly received?: Change | undefined;
  readonly fee?: Change | undefined;
  /** Whether the fee is all that was sent. */
  readonly isCost?: boolean;
}

/** Makes rows of such a format from the standard ones of whole blocks, one transaction at a time. */
export class TaxRows {
  private readonly reader = new StandardRowReader();
  private transaction: StandardRow[] = [];

  constructor(private readonly format: TaxFormat) {}

  header(): string {
    return `${HEADERS[this.format]}${LINE_END}`;
  }

  /** Rows of the transactions that end in these bytes, which may begin and end anywhere in a standard row. */
  add(bytes: Buffer): string {
    return this.reader
      .add(bytes)
      .map((row) => this.take(row))
      .join('');
  }

  /** Rows of the last transaction. */
  end(): string {
    const { transaction, format } = this;
    this.transaction = [];
    const [first] = transaction;
    if (first === undefined) return '';
    const kinds = [...new Set(transaction.map(({ kind }) => kind))].join(' ');
    return rowsOf(transaction)
      .map((row) => formatRow(row, first, kinds, format))
      .join('');
  }

  private take(row: StandardRow): string {
    const [first] = this.transaction;
    const isSame =
      first?.chainId === row.chainId && first.height === row.height && first.txHash === row.txHash;
    const ended = isSame ? '' : this.end();
    this.transaction.push(row);
    return ended;
  }
}

/**
 * One asset out and one in is an exchange, and stands in one row; nobody knows what belongs to what among more of them, so that each has
 * a row of its own. The fee comes once: with the first row that sends, or alone.
 */
function rowsOf(transaction: readonly StandardRow[]): TaxRow[] {
  const changes = new Map<string, Change>();
  const fees = new Map<string, Change>();
  for (const row of transaction) {
    // A transfer between two of the addresses changes nothing.
    if (row.direction === 'SELF') continue;
    const isPaid = row.kind === 'FEE' && row.direction === 'OUT';
    addTo(isPaid ? fees : changes, row);
    const wrapped = wrappedHalfOf(row);
    if (wrapped !== undefined) addTo(changes, wrapped);
  }
  const sent = [...changes.values()].filter(({ raw }) => raw < 0n);
  const received = [...changes.values()].filter(({ raw }) => raw > 0n);
  const fee = [...fees.values()].find(({ raw }) => raw < 0n);
  const [out, ...moreOut] = sent;
  if (out === undefined) {
    const rows: TaxRow[] = received.map((each) => ({ received: each }));
    return fee === undefined ? rows : [...rows, { sent: fee, isCost: true }];
  }
  if (moreOut.length === 0 && received.length === 1) return [{ sent: out, received: received[0], fee }];
  return [
    { sent: out, fee },
    ...moreOut.map((each) => ({ sent: each })),
    ...received.map((each) => ({ received: each })),
  ];
}

/** Tokens that come for these coins, or go for them. */
function wrappedHalfOf(row: StandardRow): StandardRow | undefined {
  const { chainId, kind, direction, from, to } = row;
  const contract = WRAPPED_AVAX.get(chainId);
  const isOfCoins = kind === 'NATIVE' || kind === 'INTERNAL';
  const other = direction === 'OUT' ? to : from;
  if (!isOfCoins || contract === undefined || contract !== other) return undefined;
  const back = direction === 'OUT' ? 'IN' : 'OUT';
  return { ...row, kind: 'ERC20', direction: back, contract, symbol: WRAPPED_SYMBOL };
}

function addTo(changes: Map<string, Change>, row: StandardRow): void {
  const currency = currencyOf(row);
  const change = changes.get(currency) ?? { currency, decimals: decimalsOf(row), raw: 0n };
  change.raw += row.direction === 'IN' ? BigInt(row.rawAmount) : -BigInt(row.rawAmount);
  changes.set(currency, change);
}

/**
 * The coin of the C-chain by its symbol. Other symbols are nobody's own: behind one of a token stands a part of its contract, behind those
 * of other chains their id, and behind that of an NFT the number.
 */
function currencyOf({ chainId, kind, contract, symbol, tokenId }: StandardRow): string {
  const isToken = kind.startsWith('ERC');
  const name = symbol === '' ? 'UNKNOWN' : symbol;
  const ofContract = isToken ? `.${contract.slice(-CONTRACT_DIGITS)}` : '';
  const ofChain = isCChain({ chainId: BigInt(chainId) }) ? '' : `@${chainId}`;
  return `${name}${ofContract}${ofChain}${tokenId === '' ? '' : `#${tokenId}`}`;
}

/** Of an unknown number of decimals the raw amount is written. */
function decimalsOf({ kind, decimals }: StandardRow): number {
  return kind === 'ERC721' || kind === 'ERC1155' ? 0 : Number(decimals);
}

function formatRow(
  { sent, received, fee, isCost = false }: TaxRow,
  { dateTime, chainName, txHash }: StandardRow,
  kinds: string,
  format: TaxFormat,
): string {
  switch (format) {
    case 'koinly': {
      const tag = isCost ? 'cost' : '';
      const description = formatTextCell(`${chainName}: ${kinds}`);
      return `${dateTime},${cellsOf(sent)},${cellsOf(received)},${cellsOf(fee)},,,${tag},${description},${txHash}${LINE_END}`;
    }
    case 'cointracker':
      return `${americanDate(dateTime)},${cellsOf(received)},${cellsOf(sent)},${cellsOf(fee)},${LINE_END}`;
  }
}

/** Amount and currency. */
function cellsOf(change: Change | undefined): string {
  if (change === undefined) return ',';
  const { raw, decimals, currency } = change;
  return `${formatUnits(raw < 0n ? -raw : raw, decimals)},${formatTextCell(currency)}`;
}

/** `09/24/2026 10:15:00`. */
function americanDate(dateTime: string): string {
  const [year = '', month = '', day = ''] = dateTime.slice(0, 10).split('-');
  return `${month}/${day}/${year}${dateTime.slice(10)}`;
}
