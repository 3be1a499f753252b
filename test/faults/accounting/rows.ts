import type pg from 'pg';
import { numberToHex } from 'viem/utils';
import { evmChainKey } from '../../../src/platform/database/chains.js';
import type { ExpectedMovement } from '../../support/evm/c-chain-second-implementation.js';
import type { MadeChain } from '../topology/made-chains.js';
import type { Truth } from './truth.js';
import type { Verdict } from './verdict.js';

const SHOWN = 3;

/** Each table's rows as text, in the words of {@link expectedRows}. */
const QUERIES: Readonly<Record<string, string>> = {
  blocks: `SELECT concat_ws(' ', height, encode(hash, 'hex'), block_time) AS row FROM evm_blocks WHERE chain_key = $1`,
  transactions: `SELECT concat_ws(' ', height, tx_index, encode(tx_hash, 'hex'), encode(from_address, 'hex'), value::text, is_success) AS row
    FROM evm_transactions WHERE chain_key = $1`,
  'token transfers': `SELECT concat_ws(' ', height, tx_index, kind, encode(from_address, 'hex'), encode(to_address, 'hex'),
      encode(contract, 'hex'), token_id::text, amount::text) AS row FROM evm_transfers WHERE chain_key = $1`,
  'internal transfers': `SELECT concat_ws(' ', height, tx_index, 'call_' || trace_path, encode(from_address, 'hex'), encode(to_address, 'hex'),
      amount::text) AS row FROM evm_internal_transfers WHERE chain_key = $1`,
};

/** Whether the tables have every row of the chain once, as it is. */
export async function compareRows(options: {
  pool: pg.Pool;
  made: MadeChain;
  tip: number;
  truth: Truth;
}): Promise<Verdict[]> {
  const { pool, made, tip, truth } = options;
  const expected = expectedRows(made, tip, truth);
  const verdicts: Verdict[] = [];
  for (const [table, text] of Object.entries(QUERIES)) {
    const { rows } = await pool.query<{ row: string }>(text, [evmChainKey(made.chain).toString()]);
    const difference = compare(
      expected[table] ?? [],
      rows.map(({ row }) => row),
    );
    verdicts.push({ what: `${made.name}: ${table} in Postgres are those of the chain`, ...difference });
  }
  return verdicts;
}

export function compare(
  expected: readonly string[],
  found: readonly string[],
): Pick<Verdict, 'holds' | 'details'> {
  const left = new Map<string, number>();
  for (const row of expected) left.set(row, (left.get(row) ?? 0) + 1);
  const surplus: string[] = [];
  for (const row of found) {
    const count = left.get(row) ?? 0;
    if (count === 0) surplus.push(row);
    else if (count === 1) left.delete(row);
    else left.set(row, count - 1);
  }
  const lost = [...left.keys()];
  const holds = lost.length === 0 && surplus.length === 0;
  const examples = [...lost.slice(0, SHOWN), ...surplus.slice(0, SHOWN)].join('; ');
  return {
    holds,
    details: `${expected.length} rows, ${lost.length} lost, ${surplus.length} doubled or wrong${holds ? '' : `: ${examples}`}`,
  };
}

function expectedRows(made: MadeChain, tip: number, truth: Truth): Record<string, string[]> {
  const rows: Record<string, string[]> = {
    blocks: [],
    transactions: [],
    'token transfers': [],
    'internal transfers': [],
  };
  for (let height = made.startHeight; height <= tip; height += 1) {
    const { block, receipts } = made.blocks[height] ?? {};
    if (block === undefined) throw new Error(`no block ${height}`);
    rows['blocks']?.push(words(height, bare(block.hash), Number(block['timestamp'])));
    for (const [index, { hash, from, value }] of block.transactions.entries()) {
      const isSuccess = receipts?.[index]?.['status'] === numberToHex(1);
      rows['transactions']?.push(
        words(height, index, bare(hash), bare(from), BigInt(String(value)), isSuccess ? 't' : 'f'),
      );
    }
    for (const movement of truth.movementsOf(made, height)) addMovement(rows, movement);
  }
  return rows;
}

function addMovement(rows: Record<string, string[]>, movement: ExpectedMovement): void {
  const { kind, height, txIndex, position, contract, tokenId, amount } = movement;
  const [from, to] = [bare(movement.from), bare(movement.to)];
  if (kind === 'INTERNAL') {
    rows['internal transfers']?.push(words(height, txIndex, position, from, to, amount));
  } else if (kind.startsWith('ERC')) {
    const token = contract === null ? '' : bare(contract);
    rows['token transfers']?.push(
      words(height, txIndex, kind, from, to, token, ...(tokenId === null ? [] : [tokenId]), amount),
    );
  }
}

function words(...values: readonly (string | number | bigint)[]): string {
  return values.join(' ');
}

function bare(hex: unknown): string {
  return String(hex).slice('0x'.length);
}
