import { Injectable } from '@nestjs/common';
import { type Address, evmBytesOf, type Hash } from '../../avalanche/evm/rpc/hex-values.js';
import { evmChainKey, evmChainName, type EvmChainRef } from '../../platform/database/chains.js';
import { Database } from '../../platform/database/database.js';
import { CoverageRepository } from '../../indexes/engine/coverage/coverage.repository.js';
import { mayHave } from '../../indexes/evm/rows/partition-indexes.js';
import type { HeightRange } from '../../indexes/engine/coverage/height-range.js';
import {
  MOVEMENT_QUERY_SETTINGS,
  MOVEMENT_QUERY_TIMEOUT_MS,
  type MovementQuery,
  unaskedTokensQuery,
} from '../rows/movement-query.js';
import { type CoveredRange, IndexCoverage } from './index-coverage.js';
import { TransactionExportError } from '../transaction-export.error.js';

export interface DatedHeight {
  readonly height: bigint;
  readonly timestampSeconds: number;
}

/** First and last block of a covered range. */
export interface DatedRange {
  readonly first: DatedHeight;
  readonly last: DatedHeight;
}

/** Queries of exports to the tables of EVM chains, except for the rows themselves. */
@Injectable()
export class IndexedBlocksRepository {
  constructor(
    private readonly database: Database,
    private readonly coverage: CoverageRepository,
  ) {}

  async coverageOf(chain: EvmChainRef): Promise<IndexCoverage> {
    const { network, chainId } = chain;
    return IndexCoverage.of(chain, await this.coverage.find({ network, chain: evmChainName(chainId) }));
  }

  /** Throws TransactionExportError `INDEX_CHANGED`. */
  async datesOf(
    chain: EvmChainRef,
    { ranges }: { readonly ranges: readonly HeightRange[] },
  ): Promise<DatedRange[]> {
    const times = await this.timesOf(
      chain,
      ranges.flatMap(({ from, to }) => [from, to]),
    );
    const dated = (height: bigint): DatedHeight => {
      const timestampSeconds = times.get(height);
      if (timestampSeconds === undefined) throw indexChanged(chain.chainId, height);
      return { height, timestampSeconds };
    };
    return ranges.map(({ from, to }) => ({ first: dated(from), last: dated(to) }));
  }

  /** In UNIX seconds, by height; blocks that are not in the tables are left out. */
  async timesOf(chain: EvmChainRef, heights: readonly bigint[]): Promise<ReadonlyMap<bigint, number>> {
    if (heights.length === 0) return new Map();
    const rows = await this.database.query<{ height: string; block_time: string }>({
      text: 'SELECT height, block_time FROM evm_blocks WHERE chain_key = $1 AND height = ANY ($2::bigint[])',
      values: [evmChainKey(chain), heights],
    });
    return new Map(rows.map(({ height, block_time }) => [BigInt(height), Number(block_time)]));
  }

  /** First block at or after a time within a range that has one. Throws TransactionExportError `INDEX_CHANGED`. */
  async firstAtOrAfter(
    chain: EvmChainRef,
    timestampSeconds: number,
    { from, to }: Pick<CoveredRange, 'from' | 'to'>,
  ): Promise<bigint> {
    const [row] = await this.database.query<{ height: string }>({
      text: `SELECT height FROM evm_blocks WHERE chain_key = $1 AND height BETWEEN $2 AND $3 AND block_time >= $4
              ORDER BY block_time, height LIMIT 1`,
      values: [evmChainKey(chain), from, to, timestampSeconds],
    });
    if (row === undefined) throw indexChanged(chain.chainId, from);
    return BigInt(row.height);
  }

  async hashOf(chain: EvmChainRef, height: bigint): Promise<Hash | undefined> {
    const [row] = await this.database.query<{ hash: Buffer }>({
      text: 'SELECT hash FROM evm_blocks WHERE chain_key = $1 AND height = $2',
      values: [evmChainKey(chain), height],
    });
    return row === undefined ? undefined : `0x${row.hash.toString('hex')}`;
  }

  /** Those of whom a transaction is in the tables that their keys have signed. */
  async signersAmong(chain: EvmChainRef, addresses: readonly Address[]): Promise<ReadonlySet<Address>> {
    const signers = new Set<Address>();
    for (const address of addresses) {
      const [own] = await this.database.query({
        text: `SELECT FROM evm_transactions WHERE chain_key = $1 AND from_address = $2 AND ${mayHave('from_address', [address])} LIMIT 1`,
        values: [evmChainKey(chain), evmBytesOf(address)],
      });
      if (own !== undefined) signers.add(address);
    }
    return signers;
  }

  /** Whether rows of a query name a token that no node could be asked about yet. */
  async hasUnaskedTokens(query: MovementQuery): Promise<boolean> {
    const [unasked] = await this.database.query({
      text: 'SELECT FROM evm_tokens WHERE chain_key = $1 AND failure IS NOT NULL LIMIT 1',
      values: [evmChainKey(query.chain)],
    });
    if (unasked === undefined) return false;
    const rows = await this.database.transaction(
      async (transaction) => {
        await transaction.set(MOVEMENT_QUERY_SETTINGS);
        return transaction.query({ text: unaskedTokensQuery(query), values: [] });
      },
      // It reads no more rows than the COPY before it.
      { statementTimeoutMs: MOVEMENT_QUERY_TIMEOUT_MS },
    );
    return rows.length > 0;
  }

  /** Contracts' answers; those that could not be asked are left out. */
  async tokensOf(
    chain: EvmChainRef,
    contracts: readonly Address[],
  ): Promise<{ contract: Address; symbol: string | null; name: string | null; decimals: number | null }[]> {
    const rows = await this.database.query<{
      contract: Buffer;
      symbol: string | null;
      name: string | null;
      decimals: number | null;
    }>({
      text: 'SELECT contract, symbol, name, decimals FROM evm_tokens WHERE chain_key = $1 AND contract = ANY ($2::bytea[]) AND failure IS NULL',
      values: [evmChainKey(chain), contracts.map(evmBytesOf)],
    });
    return rows.map(({ contract, ...label }) => ({
      contract: `0x${contract.toString('hex')}`,
      ...label,
    }));
  }
}

export function indexChanged(chainId: bigint, height: bigint): TransactionExportError {
  return new TransactionExportError(
    'INDEX_CHANGED',
    `the index of chain ${chainId} no longer has block ${height}`,
  );
}
