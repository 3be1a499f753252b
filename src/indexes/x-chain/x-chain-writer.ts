import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { AvmOutput } from '../../avalanche/avm/output.js';
import type { AvmChanges, CreatedAvmUtxo } from '../../avalanche/avm/state/changes.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { partitionOf, X_CHAIN } from '../../platform/database/chains.js';
import { Database, type Transaction } from '../../platform/database/database.js';
import { Table } from '../../platform/database/table.js';
import { findCheckpoint, moveCheckpoint, removeCheckpoint } from '../engine/progress/checkpoints.js';
import { withIndexLock } from '../engine/following/index-lock.js';
import { lockTables } from '../engine/sql/table-locks.js';
import { forgetUtxosOf, utxoTables } from '../utxos/forget-utxos.js';
import type { ChainAliases, NewUtxo, OutputForm } from '../utxos/utxo.js';
import { ListingsVacuum } from '../utxos/listings-vacuum.js';
import { writeUtxos } from '../utxos/write-utxos.js';
import { removeVertices } from './history/vertex.repository.js';
import type { XBlockRef } from './sources/x-chain-source.js';
import { AssetEntity, XChainTransaction, XChainVertex } from './entities/x-chain.entities.js';

/** Of what there is before block 0. */
export const BEFORE_BLOCKS = -1n;

const ASSETS = new Table(AssetEntity);
const TRANSACTIONS = new Table(XChainTransaction);
const VERTICES = new Table(XChainVertex);

/** The history from before blocks: nothing of it is on record yet, or so much of it in the order of its origin, or all. */
const HistorySchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('pending') }),
  z.object({
    state: z.literal('reading'),
    from: z.enum(['index', 'vertices']),
    next: z.string().transform(BigInt),
    end: z.string().transform(BigInt),
  }),
  z.object({ state: z.literal('complete') }),
]);

const StateSchema = z.object({
  networkId: z.number(),
  blockchainId: z.string(),
  avaxAssetId: z.string(),
  history: HistorySchema,
});

export type XHistory = z.infer<typeof HistorySchema>;

export interface XCheckpoint extends XBlockRef, z.infer<typeof StateSchema> {
  /** UNIX seconds. */
  readonly blockTime: number;
}

export interface XBatch {
  readonly network: NetworkName;
  /** The checkpoint that the changes follow; undefined for those of the genesis. */
  readonly after: XBlockRef | undefined;
  readonly checkpoint: XCheckpoint;
  readonly changes: AvmChanges;
  readonly aliases: ChainAliases;
}

/** Writes what blocks did: all of a batch and the checkpoint in one transaction, or nothing. */
@Injectable()
export class XChainWriter {
  readonly listingsVacuum: ListingsVacuum;

  constructor(private readonly database: Database) {
    this.listingsVacuum = new ListingsVacuum(database, 'X');
  }

  /** Undefined before the genesis was written. */
  async findCheckpoint(network: NetworkName): Promise<XCheckpoint | undefined> {
    const stored = await findCheckpoint(this.database, { network, chain: X_CHAIN });
    if (stored === undefined) return undefined;
    const { height, blockId, blockTime, state } = stored;
    return { height, blockId: blockId.toString('hex'), blockTime, ...StateSchema.parse(state) };
  }

  /**
   * Throws OTHER_WRITER and CHECKPOINT_MOVED when another process is at it, ROW_REFUSED when the tables cannot hold it,
   * STATE_MISMATCH when a spent UTXO is not there, or not the one that we know.
   */
  async write({ network, after, checkpoint, changes, aliases }: XBatch): Promise<void> {
    const place = { network, chain: X_CHAIN };
    const { height, blockId, blockTime, ...state } = checkpoint;
    const before = after && { height: after.height, blockId: Buffer.from(after.blockId, 'hex') };
    await withIndexLock(this.database, place, async (transaction) => {
      await moveCheckpoint(transaction, place, before, {
        height,
        blockId: Buffer.from(blockId, 'hex'),
        blockTime,
        state: { ...state, history: toJson(state.history) },
      });
      await ASSETS.upsert(transaction, network, changes.assets);
      await TRANSACTIONS.insert(transaction, network, changes.transactions);
      await addBurned(transaction, network, changes.transactions);
      await writeUtxos(
        transaction,
        { network, chainId: checkpoint.blockchainId, aliases },
        { created: changes.createdUtxos.map(toNewUtxo), consumed: changes.consumedUtxos },
      );
      if (after?.height === BEFORE_BLOCKS && state.history.state === 'complete') {
        await removeVertices(transaction, network);
      }
    });
  }

  /** After many blocks. Where it is cut off, autovacuum does the rest. */
  async settle(network: NetworkName, signal: AbortSignal): Promise<void> {
    await this.listingsVacuum.comeOften(network);
    await this.database.vacuum([...utxoTables(network), ...partitionsOf(network)], signal);
  }

  /** Forgets everything about a network's X-chain, so that indexing begins at its genesis again. */
  async reset(network: NetworkName): Promise<void> {
    const place = { network, chain: X_CHAIN };
    const reset = async (transaction: Transaction): Promise<void> => {
      const stored = await findCheckpoint(transaction, place);
      if (stored === undefined) return;
      const { blockchainId: chainId } = StateSchema.parse(stored.state);
      const partitions = partitionsOf(network);
      await lockTables(transaction, [...partitions, ...utxoTables(network)]);
      await transaction.execute({ text: `TRUNCATE ${partitions.join(', ')}`, values: [] });
      await transaction.execute({ text: 'DELETE FROM x_chain_totals WHERE network = $1', values: [network] });
      const aliases = new Map([[chainId, 'X']] as const);
      await forgetUtxosOf(transaction, { network, chainId, aliases });
      await removeCheckpoint(transaction, place);
    };
    await withIndexLock(this.database, place, reset, { statementTimeoutMs: 0 });
  }
}

async function addBurned(
  transaction: Transaction,
  network: NetworkName,
  transactions: AvmChanges['transactions'],
): Promise<void> {
  await transaction.execute({
    text: `INSERT INTO x_chain_totals AS known (network, burned) VALUES ($1, $2)
      ON CONFLICT (network) DO UPDATE SET burned = known.burned + EXCLUDED.burned`,
    values: [network, transactions.reduce((sum, { burned }) => sum + burned, 0n)],
  });
}

function toJson(history: XHistory): object {
  if (history.state !== 'reading') return history;
  return { ...history, next: history.next.toString(), end: history.end.toString() };
}

function toNewUtxo({ output, ...utxo }: CreatedAvmUtxo): NewUtxo {
  const amount = output.type === 'Transfer' ? output.amount : 0n;
  return {
    ...utxo,
    output: { amount, stakeableLocktime: null, owners: output.owners },
    form: formOf(output),
  };
}

function formOf(output: AvmOutput): OutputForm | null {
  const none = { groupId: null, payload: null };
  switch (output.type) {
    case 'Transfer':
      return null;
    case 'Mint':
      return { kind: 'mint', ...none };
    case 'NftMint':
      return { kind: 'nft_mint', groupId: output.groupId, payload: null };
    case 'NftTransfer':
      return { kind: 'nft_transfer', groupId: output.groupId, payload: output.payload };
    case 'PropertyMint':
      return { kind: 'property_mint', ...none };
    case 'PropertyOwned':
      return { kind: 'property_owned', ...none };
  }
}

function partitionsOf(network: NetworkName): string[] {
  return [TRANSACTIONS, ASSETS, VERTICES].map(({ name }) => partitionOf(name, network));
}
