import { groupBy } from '../../../avalanche/group-by.js';
import { Injectable } from '@nestjs/common';
import { type Address, evmBytesOf, evmHexOf } from '../../../avalanche/evm/rpc/hex-values.js';
import { evmChainKey, evmChainName, type EvmChainRef } from '../../../platform/database/chains.js';
import type { TokenMetadata } from '../../../avalanche/evm/transfers/token-metadata.js';
import { Database } from '../../../platform/database/database.js';
import { findCheckpoint } from '../../engine/progress/checkpoints.js';
import { type CoverageByFacet, CoverageRepository } from '../../engine/coverage/coverage.repository.js';
import type { HeightRange } from '../../engine/coverage/height-range.js';
import { type BlockRef, type Checkpoint, unpackCheckpoint } from '../facets/checkpoint.js';
import type { TraceableBlock } from './trace-rows.js';
import { type StaleTokenRow, staleTokens, toToken } from './token-rows.js';

interface TransactionRow {
  height: string;
  block_time: string;
  tx_index: number;
  tx_hash: Buffer;
  method_id: Buffer | null;
}

/** Queries of the index to its own rows. */
@Injectable()
export class EvmIndexRepository {
  constructor(
    private readonly database: Database,
    private readonly coverage: CoverageRepository,
  ) {}

  async findCheckpoint({ network, chainId }: EvmChainRef): Promise<Checkpoint | undefined> {
    const stored = await findCheckpoint(this.database, { network, chain: evmChainName(chainId) });
    return stored === undefined ? undefined : unpackCheckpoint(stored);
  }

  findCoverage({ network, chainId }: EvmChainRef): Promise<CoverageByFacet> {
    return this.coverage.find({ network, chain: evmChainName(chainId) });
  }

  async findBlock(chain: EvmChainRef, height: bigint): Promise<BlockRef | undefined> {
    const [row] = await this.database.query<{ hash: Buffer }>({
      text: 'SELECT hash FROM evm_blocks WHERE chain_key = $1 AND height = $2',
      values: [evmChainKey(chain), height],
    });
    return row === undefined ? undefined : { height, hash: evmHexOf(row.hash) };
  }

  /** The newest blocks of the range that may have internal transfers, the newest first. */
  async findTraceableBlocks(
    chain: EvmChainRef,
    { from, to }: HeightRange,
    limit: number,
  ): Promise<TraceableBlock[]> {
    const rows = await this.database.query<TransactionRow>({
      text: `SELECT t.height, t.block_time, t.tx_index, t.tx_hash, t.method_id
               FROM (SELECT height FROM evm_blocks WHERE chain_key = $1 AND height BETWEEN $2 AND $3 AND needs_trace
                      ORDER BY height DESC LIMIT $4) AS block
               JOIN evm_transactions t ON t.chain_key = $1 AND t.height = block.height AND t.height BETWEEN $2 AND $3
              ORDER BY t.height DESC, t.tx_index`,
      values: [evmChainKey(chain), from, to, limit],
    });
    return [...groupBy(rows, ({ height }) => height)].map(([height, transactions]) => ({
      height: BigInt(height),
      timestampSeconds: Number(transactions[0].block_time),
      transactions: transactions.map(({ tx_hash, tx_index, method_id }) => ({
        hash: evmHexOf(tx_hash),
        index: tx_index,
        methodId: method_id === null ? null : evmHexOf(method_id),
      })),
    }));
  }

  /** Those of the contracts that are on record and were asked. */
  async findKnownTokens(chain: EvmChainRef, contracts: readonly Address[]): Promise<Address[]> {
    const rows = await this.database.query<{ contract: Buffer }>({
      text: "SELECT contract FROM evm_tokens WHERE chain_key = $1 AND contract = ANY($2::bytea[]) AND asked_at > 'epoch'",
      values: [evmChainKey(chain), contracts.map(evmBytesOf)],
    });
    return rows.map(({ contract }) => evmHexOf(contract));
  }

  /** Some tokens that are to be asked again, with what is known of them. */
  async findStaleTokens(chain: EvmChainRef, limit: number): Promise<TokenMetadata[]> {
    return (await this.database.query<StaleTokenRow>(staleTokens(chain, limit))).map(toToken);
  }
}
