import { Injectable } from '@nestjs/common';
import type { BlockWithMovements } from '../avalanche/evm/movement-reader.js';
import type { TokenMetadata } from '../avalanche/evm/token-metadata.js';
import { evmChainKey, evmChainName, type EvmChainRef } from '../database/chains.js';
import { Database, type Transaction } from '../database/database.js';
import { IndexError } from '../indexing/index.error.js';
import { withIndexLock } from '../indexing/index-lock.js';
import type { IndexPlace } from '../indexing/index-progress.repository.js';
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
    private readonly database: Database,
    private readonly partitions: EvmPartitions,
  ) {}

  /** Throws OTHER_WRITER and CHECKPOINT_MOVED when another process is at it. */
  async write(batch: EvmBatch): Promise<void> {
    const { chain } = batch;
    const [first, last] = [batch.blocks[0], batch.blocks.at(-1)];
    if (first === undefined || last === undefined) return;
    await this.partitions.ensure(chain, first.block.height, last.block.height);
    const rows = makeRows(chain, batch.blocks);
    await withIndexLock(this.database, placeOf(chain), async (transaction) => {
      await moveCheckpoint(transaction, batch);
      for (const table of EVM_TABLES) {
        await copyRows(transaction, { table, columns: COLUMNS[table] }, rows[table]);
      }
      await TOKENS.insertMissing(transaction, evmChainKey(chain).toString(), batch.tokens);
    });
  }

  /** Forgets everything about a chain, so that indexing begins anew. */
  async reset(chain: EvmChainRef): Promise<void> {
    const place = placeOf(chain);
    await withIndexLock(this.database, place, async (transaction) => {
      await this.partitions.truncate(transaction, chain);
      await transaction.execute({
        text: 'DELETE FROM evm_tokens WHERE chain_key = $1',
        values: [evmChainKey(chain).toString()],
      });
      await transaction.execute({
        text: 'DELETE FROM index_checkpoints WHERE network = $1 AND chain = $2',
        values: [place.network, place.chain],
      });
    });
  }
}

/** Compare and set: of two processes with the same checkpoint only one gets to write. */
async function moveCheckpoint(transaction: Transaction, { chain, before, after }: EvmBatch): Promise<void> {
  const values = [
    chain.network,
    evmChainName(chain.chainId),
    after.height.toString(),
    bytesOf(after),
    after.blockTime,
    packState(after),
  ];
  const statement =
    before === null
      ? {
          text: `INSERT INTO index_checkpoints (network, chain, height, block_id, block_time, state)
                 VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
          values,
        }
      : {
          text: `UPDATE index_checkpoints SET height = $3, block_id = $4, block_time = $5, state = $6, updated_at = now()
                 WHERE network = $1 AND chain = $2 AND height = $7 AND block_id = $8 AND state -> 'ranges' = $9::jsonb`,
          values: [
            ...values,
            before.height.toString(),
            bytesOf(before),
            JSON.stringify(packRanges(before.ranges)),
          ],
        };
  if ((await transaction.execute(statement)) === 1) return;
  throw new IndexError(
    'CHECKPOINT_MOVED',
    `the checkpoint is no longer at height ${before?.height ?? 'none'} with the same ranges`,
  );
}

function bytesOf({ hash }: Checkpoint): Buffer {
  return Buffer.from(hash.slice(2), 'hex');
}

function placeOf({ network, chainId }: EvmChainRef): IndexPlace {
  return { network, chain: evmChainName(chainId) };
}
