import { type Address, readAddress } from '../../avalanche/evm/rpc/hex-values.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import type { TokenSum } from '../turns/token-sums.js';
import { formatTextCell } from './csv.js';

/** Cells between the name of the chain and the direction. */
const CELLS_BEFORE_DIRECTION = 6;
const ADDRESS_LENGTH = 42;
/** Read at a time: longer texts would be old to the garbage collector from the start. */
const PIECE_BYTES = 64 * 1024;

type MutableSum = { -readonly [Name in keyof TokenSum]: TokenSum[Name] };

/**
 * Adds up the tokens in rows as formatCsvRow writes them, while they pass. It reads cells in place: reading whole rows takes as long as
 * Postgres takes to send them. Text from outside is quoted where it has a comma, and no cell holds the end of a line.
 */
export class TokenSumReader {
  /** In the order of their first rows. */
  readonly sums: MutableSum[] = [];
  /** By contract and token id. */
  private readonly ofAccounts = new Map<string, Map<string, MutableSum>>();
  private account = '';
  private ofAccount = new Map<string, MutableSum>();
  /** Of each row: its chain. */
  private readonly startLength: number;
  private rest = '';

  constructor(
    { chainId, name }: Pick<EvmChain, 'chainId' | 'name'>,
    private readonly addresses: ReadonlySet<string>,
  ) {
    this.startLength = Buffer.byteLength(`${chainId},${formatTextCell(name)},`);
  }

  /** Rows may begin and end anywhere in these bytes. */
  add(content: Buffer): void {
    for (let at = 0; at < content.length; at += PIECE_BYTES) {
      // One character for each byte: the cells that are read are ASCII.
      this.addText(content.toString('latin1', at, at + PIECE_BYTES));
    }
  }

  private addText(text: string): void {
    let end = text.indexOf('\n');
    if (end === -1) {
      this.rest += text;
      return;
    }
    // By itself: a whole text that has been put together would be copied before it can be searched.
    this.addRow(this.rest + text.slice(0, end + 1), this.startLength);
    let start = end + 1;
    for (end = text.indexOf('\n', start); end !== -1; end = text.indexOf('\n', start)) {
      this.addRow(text, start + this.startLength);
      start = end + 1;
    }
    this.rest = text.slice(start);
  }

  private addRow(text: string, start: number): void {
    const direction = skipCells(text, start, CELLS_BEFORE_DIRECTION);
    const kind = skipCells(text, direction, 1);
    if (!text.startsWith('ERC', kind)) return;
    const from = skipCells(text, kind, 1);
    const to = from + ADDRESS_LENGTH + 1;
    const contract = to + ADDRESS_LENGTH + 1;
    const symbol = contract + ADDRESS_LENGTH + 1;
    const name = skipText(text, symbol);
    const tokenId = skipCells(text, skipText(text, name), 1);
    const amountStart = skipCells(text, tokenId, 1);
    const amount = BigInt(text.slice(amountStart, text.indexOf(',', amountStart)));
    // The decimals of the token are no part of which it is; the id is, of ERC-1155 alone.
    const id = text.startsWith('1155', kind + 3) ? text.slice(tokenId, amountStart - 1) : '';
    const token = text.slice(contract, symbol - 1) + id;
    if (text.startsWith('IN', direction)) {
      this.count(text, to, token, amount);
      return;
    }
    this.count(text, from, token, -amount);
    if (text.startsWith('SELF', direction)) this.count(text, to, token, amount);
  }

  /** `at`: where the account is in the text. Most rows are of the same one as the row before. */
  private count(text: string, at: number, token: string, amount: bigint): void {
    if (this.account === '' || !text.startsWith(this.account, at)) {
      // A slice would keep the whole text.
      this.account = Buffer.from(text.slice(at, at + ADDRESS_LENGTH)).toString();
      if (!this.addresses.has(this.account)) throw new RangeError('a row of none of the addresses');
      this.ofAccount = this.ofAccounts.get(this.account) ?? new Map<string, MutableSum>();
      this.ofAccounts.set(this.account, this.ofAccount);
    }
    const known = this.ofAccount.get(token);
    if (known !== undefined) {
      known.sum += amount;
      return;
    }
    const [contract, tokenId] = [token.slice(0, ADDRESS_LENGTH), token.slice(ADDRESS_LENGTH)];
    const sum = {
      account: addressOf(this.account),
      contract: addressOf(contract),
      tokenId: tokenId === '' ? null : BigInt(tokenId),
      sum: amount,
    };
    this.sums.push(sum);
    this.ofAccount.set(Buffer.from(token).toString(), sum);
  }
}

function addressOf(text: string): Address {
  return readAddress(Buffer.from(text).toString(), 'address');
}

/** Behind that many cells that hold no text from outside. */
function skipCells(text: string, from: number, count: number): number {
  let at = from;
  for (let cell = 0; cell < count; cell += 1) at = text.indexOf(',', at) + 1;
  return at;
}

/** Behind one that may be quoted. */
function skipText(text: string, from: number): number {
  if (text[from] !== '"') return text.indexOf(',', from) + 1;
  let quote = text.indexOf('"', from + 1);
  while (text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  return quote + 2;
}
