import { Injectable } from '@nestjs/common';
import { DataSource, type QueryRunner } from 'typeorm';
import type { BlockWithMovements } from '../avalanche/evm/movement-reader.js';
import type { TokenMetadata } from '../avalanche/evm/token-metadata.js';
import { evmChainKey, evmChainName, type EvmChainRef } from '../database/chains.js';
import { IndexError } from '../indexing/index.error.js';
import { withIndexLock } from '../indexing/index-lock.js';
import { type Checkpoint, packRanges, packState } from './checkpoint.js';
import { copyRows } from './copy-rows.js';
import { EVM_TABLES, EvmPartitions } from './partitions.js';
import { COLUMNS, makeRows } from './rows.js';
import { TOKENS } from './token-rows.js';

export interface EvmBatch {
  readonly chain: EvmChainRef;
  /** The checkpoint on record; null for the chain's first batch. */
  readonly before: Checkpoint | null;
  readonly after: Checkpoint;
  /** In ascending order, without a gap. */
  readonly blocks: readonly BlockWithMovements[];
  /** Of contracts that appear in the blocks and were not known. */
  readonly tokens: readonly TokenMetadata[];
}

/** Writes what blocks tell: all of a batch and the checkpoint in one transaction, or nothing. */
@Injectable()
export class EvmWriter {
  constructor(
    private readonly dataSource: DataSource,
    private readonly partitions: EvmPartitions,
  ) {}

  /** Throws OTHER_WRITER and CHECKPOINT_MOVED when another process is at it. */
  async write(batch: EvmBatch): Promise<void> {
    const { chain } = batch;
    const [first, last] = [batch.blocks[0], batch.blocks.at(-1)];
    if (first === undefined || last === undefined) return;
    await this.partitions.ensure(chain, first.block.height, last.block.height);
    const rows = makeRows(chain, batch.blocks);
    await withIndexLock(this.dataSource, chain.network, evmChainName(chain.chainId), async (runner) => {
      await moveCheckpoint(runner, batch);
      for (const table of EVM_TABLES) {
        await copyRows(runner, { table, columns: COLUMNS[table] }, rows[table]);
      }
      await TOKENS.insertMissing(runner, evmChainKey(chain).toString(), batch.tokens);
    });
  }

  /** Forgets everything about a chain, so that indexing begins anew. */
  async reset(chain: EvmChainRef): Promise<void> {
    const { network } = chain;
    const name = evmChainName(chain.chainId);
    await withIndexLock(this.dataSource, network, name, async (runner) => {
      await this.partitions.truncate(runner, chain);
      await runner.query('DELETE FROM evm_tokens WHERE chain_key = $1', [evmChainKey(chain).toString()]);
      await runner.query('DELETE FROM index_checkpoints WHERE network = $1 AND chain = $2', [network, name]);
    });
  }
}

/** Compare and set: of two processes with the same checkpoint only one gets to write. */
async function moveCheckpoint(runner: QueryRunner, { chain, before, after }: EvmBatch): Promise<void> {
  const values = [
    chain.network,
    evmChainName(chain.chainId),
    after.height.toString(),
    bytesOf(after),
    after.blockTime,
    packState(after),
  ];
  const { affected } =
    before === null
      ? await runner.query(
          `INSERT INTO index_checkpoints (network, chain, height, block_id, block_time, state)
           VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
          values,
          true,
        )
      : await runner.query(
          `UPDATE index_checkpoints SET height = $3, block_id = $4, block_time = $5, state = $6, updated_at = now()
           WHERE network = $1 AND chain = $2 AND height = $7 AND block_id = $8 AND state -> 'ranges' = $9::jsonb`,
          [...values, before.height.toString(), bytesOf(before), JSON.stringify(packRanges(before.ranges))],
          true,
        );
  if (affected === 1) return;
  throw new IndexError(
    'CHECKPOINT_MOVED',
    `the checkpoint is no longer at height ${before?.height ?? 'none'} with the same ranges`,
  );
}

function bytesOf({ hash }: Checkpoint): Buffer {
  return Buffer.from(hash.slice(2), 'hex');
}
