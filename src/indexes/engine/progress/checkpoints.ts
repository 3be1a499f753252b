import type { Queryable, Transaction } from '../../../platform/database/database.js';
import { IndexError } from '../following/index.error.js';
import type { IndexPlace } from '../following/index-place.js';

/** Where an index stands: its newest block, and what its kind keeps beside it. */
export interface StoredCheckpoint {
  readonly height: bigint;
  readonly blockId: Buffer;
  /** UNIX seconds. */
  readonly blockTime: number;
  /** JSON of the kind's own. */
  readonly state: unknown;
}

interface CheckpointRow {
  height: string;
  block_id: Buffer;
  block_time: string;
  state: unknown;
}

export async function findCheckpoint(
  queryable: Queryable,
  { network, chain }: IndexPlace,
): Promise<StoredCheckpoint | undefined> {
  const [row] = await queryable.query<CheckpointRow>({
    text: 'SELECT height, block_id, block_time, state FROM index_checkpoints WHERE network = $1 AND chain = $2',
    values: [network, chain],
  });
  if (row === undefined) return undefined;
  const { height, block_id: blockId, block_time, state } = row;
  return { height: BigInt(height), blockId, blockTime: Number(block_time), state };
}

/**
 * Compare and set: of two processes with the same checkpoint only one gets to write. `before` is undefined for a chain's first one.
 * Throws CHECKPOINT_MOVED.
 */
export async function moveCheckpoint(
  transaction: Transaction,
  { network, chain }: IndexPlace,
  before: Pick<StoredCheckpoint, 'height' | 'blockId'> | undefined,
  after: StoredCheckpoint,
): Promise<void> {
  const values = [network, chain, after.height, after.blockId, after.blockTime, JSON.stringify(after.state)];
  const moved =
    before === undefined
      ? await transaction.execute({
          text: `INSERT INTO index_checkpoints (network, chain, height, block_id, block_time, state)
                 VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
          values,
        })
      : await transaction.execute({
          text: `UPDATE index_checkpoints SET height = $3, block_id = $4, block_time = $5, state = $6, updated_at = now()
                  WHERE network = $1 AND chain = $2 AND height = $7 AND block_id = $8`,
          values: [...values, before.height, before.blockId],
        });
  if (moved === 1) return;
  throw new IndexError(
    'CHECKPOINT_MOVED',
    `the checkpoint is no longer at height ${before?.height ?? 'none'}`,
  );
}

export async function removeCheckpoint(
  transaction: Transaction,
  { network, chain }: IndexPlace,
): Promise<void> {
  await transaction.execute({
    text: 'DELETE FROM index_checkpoints WHERE network = $1 AND chain = $2',
    values: [network, chain],
  });
}
