import { Injectable } from '@nestjs/common';
import type { SearchRange } from '../../avalanche/evm/history/account-history.js';
import { type Address, evmBytesOf } from '../../avalanche/evm/rpc/hex-values.js';
import type { StateQuery } from '../../avalanche/evm/rpc/evm-client.js';
import { evmChainKey, type EvmChainRef } from '../../platform/database/chains.js';
import { Database } from '../../platform/database/database.js';

/** Whose records they are. */
export interface SearchPlace {
  readonly operationId: string;
  readonly chain: EvmChainRef;
}

export interface StateAnswer extends StateQuery {
  readonly value: bigint;
}

/** Heights above `from`, up to `to`, that one request has searched for logs, and those that have some. */
export interface LogHeights {
  readonly from: bigint;
  readonly to: bigint;
  readonly heights: readonly bigint[];
}

/** Nodes' answers to the searches of exports that are under way. */
@Injectable()
export class SearchRecordsRepository {
  constructor(private readonly database: Database) {}

  /** Of the heights at both ends of a range, and between. */
  async findStates({ operationId, chain }: SearchPlace, { from, to }: SearchRange): Promise<StateAnswer[]> {
    const rows = await this.database.query<{
      address: string;
      is_nonce: boolean;
      height: string;
      value: string;
    }>({
      text: `SELECT '0x' || encode(address, 'hex') AS address, is_nonce, height, value FROM export_states
              WHERE operation_id = $1 AND chain_key = $2 AND height BETWEEN $3 AND $4`,
      values: [operationId, evmChainKey(chain), from, to],
    });
    return rows.map(({ address, is_nonce: isNonce, height, value }) => ({
      address: address as Address,
      field: isNonce ? 'nonce' : 'balance',
      height: BigInt(height),
      value: BigInt(value),
    }));
  }

  async saveStates({ operationId, chain }: SearchPlace, answers: readonly StateAnswer[]): Promise<void> {
    await this.database.execute({
      text: `INSERT INTO export_states (operation_id, chain_key, address, is_nonce, height, value)
             SELECT $1, $2, * FROM unnest($3::bytea[], $4::bool[], $5::bigint[], $6::numeric[])
             ON CONFLICT DO NOTHING`,
      values: [
        operationId,
        evmChainKey(chain),
        answers.map(({ address }) => evmBytesOf(address)),
        answers.map(({ field }) => field === 'nonce'),
        answers.map(({ height }) => height),
        answers.map(({ value }) => value),
      ],
    });
  }

  /** Those of some accounts are asked again. */
  async forgetStates(
    { operationId, chain }: SearchPlace,
    addresses: readonly Address[],
    { from, to }: SearchRange,
  ): Promise<void> {
    await this.database.execute({
      text: `DELETE FROM export_states
              WHERE operation_id = $1 AND chain_key = $2 AND address = ANY ($3::bytea[]) AND height BETWEEN $4 AND $5`,
      values: [operationId, evmChainKey(chain), addresses.map(evmBytesOf), from, to],
    });
  }

  /** Those that have some of the range's heights, and perhaps others, ascending: when they were searched, the range was another one. */
  async findLogHeights(
    { operationId, chain }: SearchPlace,
    { from, to }: SearchRange,
  ): Promise<LogHeights[]> {
    const rows = await this.database.query<{ from_height: string; to_height: string; heights: string[] }>({
      text: `SELECT from_height, to_height, heights FROM export_log_windows
              WHERE operation_id = $1 AND chain_key = $2 AND to_height > $3 AND from_height < $4 ORDER BY from_height`,
      values: [operationId, evmChainKey(chain), from, to],
    });
    return rows.map((row) => ({
      from: BigInt(row.from_height),
      to: BigInt(row.to_height),
      heights: row.heights.map(BigInt),
    }));
  }

  async saveLogHeights({ operationId, chain }: SearchPlace, found: LogHeights): Promise<void> {
    await this.database.execute({
      text: `INSERT INTO export_log_windows (operation_id, chain_key, from_height, to_height, heights)
             VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
      values: [operationId, evmChainKey(chain), found.from, found.to, found.heights],
    });
  }

  /** Of an export that has ended. */
  async forget(operationId: string): Promise<void> {
    await this.database.execute({
      text: `WITH forgotten AS (DELETE FROM export_log_windows WHERE operation_id = $1)
             DELETE FROM export_states WHERE operation_id = $1`,
      values: [operationId],
    });
  }
}
