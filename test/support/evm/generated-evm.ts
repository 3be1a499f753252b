import type { DataSource } from 'typeorm';
import { withoutTimeouts } from '../../../src/platform/database/data-source.js';
import { Database } from '../../../src/platform/database/database.js';
import { EvmPartitions } from '../../../src/indexes/evm/rows/partitions.js';
import { storeCoverage } from '../store-coverage.js';

export interface GeneratedEvmSizes {
  /** Each with one token transfer. */
  transactions: number;
  days: number;
}

export const GENERATED_CHAIN = { network: 'mainnet', chainId: 43114n } as const;
/** UTC. */
export const GENERATED_FIRST_DAY = '2026-01-01';

const FIRST_DAY_SECONDS = Date.parse(`${GENERATED_FIRST_DAY}T00:00:00Z`) / 1000;
const DAY_SECONDS = 86_400;
const TRANSACTIONS_PER_BLOCK = 20;
/** Sends every other transaction, and is part of its token transfer. */
const WHALE = `substr(sha256('whale'), 1, 20)`;
/** Those of the benchmark's index. */
const ROWS_PER_BLOCK = 60;
const PEOPLE = 100_000;
const TOKENS = 500;

/** Rows of an export for the address that has most of them: what it sent, its fee and a token transfer. */
export function whaleRows(transactions: number): number {
  return Math.ceil(transactions / 2) * 3;
}

/** Transactions that give this address so many rows. */
export function transactionsFor(rows: number): number {
  return Math.ceil(rows / 3) * 2;
}

/**
 * Fills the tables with transactions made by Postgres itself, evenly spread over the days, in blocks of twenty; half of them
 * of one address. Not more random than the row's number.
 */
export async function generateEvm(
  dataSource: DataSource,
  { transactions, days }: GeneratedEvmSizes,
  progress: (text: string) => void = () => undefined,
): Promise<void> {
  const blocks = Math.ceil(transactions / TRANSACTIONS_PER_BLOCK);
  await new EvmPartitions(new Database(dataSource)).ensure(
    GENERATED_CHAIN,
    { from: 0n, to: BigInt(blocks) },
    ROWS_PER_BLOCK,
  );
  const time = `${FIRST_DAY_SECONDS} + height * ${days * DAY_SECONDS} / ${blocks}`;
  const inserts = [
    ['evm_tokens', tokens()],
    ['evm_blocks', blocksOf(blocks, time)],
    ['evm_transactions', transactionsOf(transactions, time)],
    ['evm_transfers', transfersOf(transactions, time)],
  ] as const;
  await withoutTimeouts(dataSource, async (run) => {
    for (const [table, insert] of inserts) {
      const startedAt = performance.now();
      await run(insert);
      await run(`VACUUM ANALYZE ${table}`);
      progress(`${table}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    }
  });
  await storeCoverage(dataSource, GENERATED_CHAIN, [{ from: 0n, to: BigInt(blocks), isTraced: true }]);
}

const bytes = (kind: string, number: string): string => `sha256(('${kind}' || (${number}))::bytea)`;
const address = (kind: string, number: string): string => `substr(${bytes(kind, number)}, 1, 20)`;
const person = (factor: number): string => address('person', `i * ${factor} % ${PEOPLE}`);

const tokens = (): string => `
  INSERT INTO evm_tokens (chain_key, contract, name, symbol, csv_symbol, decimals, unit)
  SELECT ${GENERATED_CHAIN.chainId}, ${address('token', 'i')}, 'Token ' || i, 'TK' || i, 'TK' || i, decimals, (0.1::numeric) ^ decimals
    FROM (SELECT i, CASE WHEN i % 3 = 0 THEN 6 ELSE 18 END AS decimals FROM generate_series(0, ${TOKENS - 1}) i) made`;

/** And one more, behind the last day. */
const blocksOf = (count: number, time: string): string => `
  INSERT INTO evm_blocks (chain_key, height, hash, block_time, needs_trace)
  SELECT ${GENERATED_CHAIN.chainId}, height, ${bytes('block', 'height')}, ${time}, true FROM generate_series(0::bigint, ${count}) height`;

const transactionsOf = (count: number, time: string): string => `
  INSERT INTO evm_transactions (chain_key, height, tx_index, block_time, tx_hash, from_address, to_address, is_creation,
    is_success, value, fee, fee_recipient, method_id)
  SELECT ${GENERATED_CHAIN.chainId}, height, i % ${TRANSACTIONS_PER_BLOCK}, ${time}, ${bytes('transaction', 'i')},
    CASE WHEN i % 2 = 0 THEN ${WHALE} ELSE ${person(7919)} END, ${person(104_729)}, false, true,
    ('x' || substr(md5(i::text), 1, 15))::bit(60)::bigint::numeric * 1000, 21000 * (25000000000 + i % 1000000), NULL,
    CASE WHEN i % 3 = 0 THEN '\\xa9059cbb'::bytea END
  FROM (SELECT i, i / ${TRANSACTIONS_PER_BLOCK} AS height FROM generate_series(0::bigint, ${count - 1}) i) made`;

const transfersOf = (count: number, time: string): string => `
  INSERT INTO evm_transfers (chain_key, height, position, tx_index, block_time, tx_hash, kind, log_index, from_address, to_address,
    contract, token_id, amount, method_id)
  SELECT ${GENERATED_CHAIN.chainId}, height, i % ${TRANSACTIONS_PER_BLOCK}, i % ${TRANSACTIONS_PER_BLOCK}, ${time}, ${bytes('transaction', 'i')},
    CASE WHEN i % 10 = 0 THEN 'ERC721' ELSE 'ERC20' END, i % ${TRANSACTIONS_PER_BLOCK},
    CASE WHEN i % 4 = 0 THEN ${WHALE} ELSE ${person(15_485_863)} END, CASE WHEN i % 4 = 2 THEN ${WHALE} ELSE ${person(32_452_843)} END,
    ${address('token', `i * 7919 % ${TOKENS}`)}, CASE WHEN i % 10 = 0 THEN i END,
    CASE WHEN i % 10 = 0 THEN 1 ELSE ('x' || substr(md5(i::text), 1, 15))::bit(60)::bigint::numeric * 100000 END, '\\xa9059cbb'
  FROM (SELECT i, i / ${TRANSACTIONS_PER_BLOCK} AS height FROM generate_series(0::bigint, ${count - 1}) i) made`;

/** Hex with 0x of the address that has most rows, and of one like any other. */
export async function generatedAddresses(
  dataSource: DataSource,
): Promise<{ whale: `0x${string}`; ordinary: `0x${string}` }> {
  const rows: { whale: string; ordinary: string }[] = await dataSource.query(
    `SELECT encode(${WHALE}, 'hex') AS whale, encode(${address('person', '7')}, 'hex') AS ordinary`,
  );
  const [found] = rows;
  if (found === undefined) throw new Error('no addresses');
  return { whale: `0x${found.whale}`, ordinary: `0x${found.ordinary}` };
}
