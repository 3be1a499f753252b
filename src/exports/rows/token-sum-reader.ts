import { type Address, readAddress } from '../../avalanche/evm/rpc/hex-values.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import type { TokenSum } from '../turns/token-sums.js';
import { formatTextCell } from './csv.js';

/** Cells between the name of the chain and the direction. */
const CELLS_BEFORE_DIRECTION = 6;
const ADDRESS_LENGTH = 42;

/**
 * Adds up the tokens in rows as formatCsvRow writes them, while they pass. It reads cells in place: reading whole rows takes as long as
 * Postgres takes to send them. Text from outside is quoted where it has a comma, and no cell holds the end of a line.
 */
export class TokenSumReader {
  private readonly byKey = new Map<string, { -readonly [Name in keyof TokenSum]: TokenSum[Name] }>();
  /** Of each row: its chain. */
  private readonly startLength: number;
  private rest = '';

  constructor(
    { chainId, name }: Pick<EvmChain, 'chainId' | 'name'>,
    private readonly addresses: ReadonlySet<string>,
  ) {
    this.startLength = Buffer.byteLength(`${chainId},${formatTextCell(name)},`);
  }

  /** In the order of their first rows. */
  get sums(): TokenSum[] {
    return [...this.byKey.values()];
  }

  /** Rows may begin and end anywhere in these bytes. */
  add(content: Buffer): void {
    // One character for each byte: the cells that are read are ASCII.
    const text = this.rest + content.toString('latin1');
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
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
    const token = text.slice(contract, symbol - 1);
    const id = text.startsWith('1155', kind + 3) ? text.slice(tokenId, amountStart - 1) : '';
    if (text.startsWith('IN', direction)) {
      this.count(text.slice(to, contract - 1), token, id, amount);
      return;
    }
    this.count(text.slice(from, to - 1), token, id, -amount);
    if (text.startsWith('SELF', direction)) this.count(text.slice(to, contract - 1), token, id, amount);
  }

  private count(account: string, contract: string, tokenId: string, amount: bigint): void {
    const key = account + contract + tokenId;
    const known = this.byKey.get(key);
    if (known !== undefined) {
      known.sum += amount;
      return;
    }
    if (!this.addresses.has(account)) throw new RangeError('a row of none of the addresses');
    // Slices would keep the whole text.
    this.byKey.set(Buffer.from(key).toString(), {
      account: addressOf(account),
      contract: addressOf(contract),
      tokenId: tokenId === '' ? null : BigInt(tokenId),
      sum: amount,
    });
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
