import type { DataSource } from 'typeorm';
import type { AtomicTransfer } from '../../../src/avalanche/evm/blocks/atomic-transactions.js';
import type { Hex } from '../../../src/avalanche/evm/rpc/hex-values.js';
import type { Movement } from '../../../src/avalanche/evm/transfers/transfers.js';

interface MovementRow {
  height: string;
  tx_index: number;
  tx_hash: Buffer | null;
  kind: Movement['kind'];
  log_index: number | null;
  batch_index: number | null;
  trace_path: string | null;
  from_address: Buffer;
  to_address: Buffer;
  contract: Buffer | null;
  token_id: string | null;
  amount: string;
}

/** All rows of a database's only chain as the movements that they stand for, in the order of an export. */
export async function movementsOnRecord(database: DataSource): Promise<(Movement & { height: bigint })[]> {
  const rows = await database.query<MovementRow[]>(`
    SELECT height, tx_index, tx_hash, kind, log_index, batch_index, trace_path, from_address, to_address, contract,
      token_id, amount FROM (
        SELECT height, tx_index, 0 AS rank, 0 AS position, tx_hash, 'NATIVE' AS kind, NULL::int AS log_index,
          NULL::int AS batch_index, NULL AS trace_path, from_address, to_address,
          CASE WHEN is_creation THEN to_address END AS contract, NULL::numeric AS token_id, value AS amount
        FROM evm_transactions WHERE is_success AND to_address IS NOT NULL AND (value > 0 OR is_creation)
        UNION ALL
        SELECT height, tx_index, 1, position, tx_hash, kind, NULL, NULL, trace_path, from_address, to_address, contract, NULL,
          amount FROM evm_internal_transfers
        UNION ALL
        SELECT height, tx_index, 2, position, tx_hash, kind, log_index, batch_index, NULL, from_address, to_address, contract,
          token_id, amount FROM evm_transfers
        UNION ALL
        SELECT height, tx_index, 3, 0, tx_hash, 'FEE', NULL, NULL, NULL, from_address,
          COALESCE(fee_recipient, '\\x0100000000000000000000000000000000000000'), NULL, NULL, fee
        FROM evm_transactions
      ) AS movements ORDER BY height, tx_index, rank, position`);
  const hex = (bytes: Buffer): Hex => `0x${bytes.toString('hex')}`;
  return rows.map((row) => ({
    height: BigInt(row.height),
    kind: row.kind,
    txHash: row.tx_hash === null ? null : hex(row.tx_hash),
    txIndex: row.tx_index,
    logIndex: row.log_index,
    batchIndex: row.batch_index,
    tracePath: row.trace_path,
    from: hex(row.from_address),
    to: hex(row.to_address),
    contract: row.contract === null ? null : hex(row.contract),
    tokenId: row.token_id === null ? null : BigInt(row.token_id),
    amount: BigInt(row.amount),
  }));
}

interface AtomicRow {
  height: string;
  kind: AtomicTransfer['kind'];
  address: string;
  asset_id: string;
  amount: string;
}

/** Its imports and exports. */
export async function atomicTransfersOnRecord(database: DataSource) {
  const rows = await database.query<AtomicRow[]>(
    `SELECT height, kind, encode(address, 'hex') AS address, encode(asset_id, 'hex') AS asset_id, amount
       FROM evm_atomic_transfers ORDER BY height, position`,
  );
  return rows.map(({ height, kind, address, asset_id: assetId, amount }) => ({
    height: Number(height),
    kind,
    address: `0x${address}` as const,
    assetId,
    amount: BigInt(amount),
  }));
}
