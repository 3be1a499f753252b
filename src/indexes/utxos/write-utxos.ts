import type { Id } from '../../avalanche/platformvm/ids.js';
import type { StakeWindow } from '../../avalanche/platformvm/state/records.js';
import type { Transaction } from '../../platform/database/database.js';
import { partitionOf } from '../../platform/database/chains.js';
import { IndexError } from '../engine/following/index.error.js';
import { type Column, columnNames } from '../../platform/database/entity-columns.js';
import { columnLiterals, selectExpression, unnest } from '../../platform/database/table.js';
import { lockCrossChainUtxos } from './cross-chain-lock.js';
import {
  insertListings,
  aliasLiterals,
  LISTED_ADDRESSES,
  LISTED_COLUMNS,
  LISTING_KEY,
  markListings,
} from './listings.js';
import type { NewUtxo, SpentUtxo, UtxoChain, UtxoChanges } from './utxo.js';
import { CONSUMPTION, CREATION, IDENTITY, STAKE_WINDOW } from './utxo-columns.js';
import type { UtxoEntity } from './utxo.entities.js';

interface SpentRow {
  readonly id: Id;
  /** As created. */
  readonly assetId: Id;
  /** Null where neither the creation nor the spender has recorded it. */
  readonly amount: string | null;
  /** Whether its creation is known. */
  readonly isCreated: boolean;
}

type UtxoRow = Omit<UtxoEntity, 'network'>;

/** Columns that a consumption writes. */
type SpendingRow = Pick<
  UtxoRow,
  | 'utxoId'
  | 'txId'
  | 'outputIndex'
  | 'assetId'
  | 'amount'
  | 'createdOnChainId'
  | 'spendableOnChainId'
  | 'consumingTxId'
  | 'consumingBlockHeight'
  | 'consumingBlockTime'
>;

const ALL: readonly Column<UtxoRow>[] = [...IDENTITY.columns, ...CREATION.columns, ...CONSUMPTION.columns];
const SPENDING: readonly Column<SpendingRow>[] = [...IDENTITY.columns, ...CONSUMPTION.columns];

const selected = (columns: readonly Pick<Column<never>, 'name' | 'type'>[]): string =>
  columns.map(selectExpression).join(', ');
const assigned = (columns: readonly Pick<Column<never>, 'name'>[]): string =>
  columns.map(({ name }) => `${name} = EXCLUDED.${name}`).join(', ');

/**
 * Writes what blocks of one chain did, each of them once, in order. Of an output that crosses to another chain the two chains
 * write a side each, whichever comes first. Throws IndexError STATE_MISMATCH when a spent one is not there to be spent, or was
 * created with another amount or asset than its spender names. Nodes refuse such inputs, so that each of them proves what we
 * worked out: a reward that is off by one unit ends here.
 */
export async function writeUtxos(
  transaction: Transaction,
  chain: UtxoChain,
  changes: UtxoChanges,
): Promise<void> {
  const { created, spentLater, windows } = sortOut(chain, changes);
  const [staying, leaving] = divide(
    created,
    ({ spendableOnChainId }) => spendableOnChainId === chain.chainId,
  );
  const [own, imported] = divide(spentLater, ({ createdOnChainId }) => createdOnChainId === chain.chainId);
  await insertCreated(transaction, chain, staying);
  expectSpendable(own, await spend(transaction, chain, own), 'created');
  await changeStakeWindows(transaction, chain, windows);
  if (leaving.length === 0 && imported.length === 0) return;
  await lockCrossChainUtxos(transaction, chain.network);
  await insertCreated(transaction, chain, leaving);
  expectSpendable(imported, await spend(transaction, chain, imported), 'any');
}

function sortOut({ chainId }: UtxoChain, changes: UtxoChanges) {
  const created = new Map(changes.created.map((utxo) => [utxo.utxoId, utxo]));
  const spentAtOnce = new Map<Id, SpentUtxo>();
  const spentLater: SpentUtxo[] = [];
  const seen = new Set<Id>();
  for (const utxo of changes.consumed) {
    if (seen.has(utxo.utxoId)) throw cannotSpend(utxo, 'a second time');
    seen.add(utxo.utxoId);
    const creation = created.get(utxo.utxoId);
    if (creation === undefined) {
      spentLater.push(utxo);
      continue;
    }
    expectSame(utxo, { assetId: creation.assetId, amount: creation.output.amount });
    spentAtOnce.set(utxo.utxoId, utxo);
  }
  const stakeWindows = changes.stakeWindows ?? new Map<Id, StakeWindow>();
  const rows = changes.created.map((utxo) =>
    toRow(utxo, chainId, stakeWindows.get(utxo.utxoId) ?? utxo.stake ?? null, spentAtOnce.get(utxo.utxoId)),
  );
  const windows = [...stakeWindows]
    .filter(([utxoId]) => !created.has(utxoId))
    .map(([utxoId, { isStaked, start, end }]) => ({ utxoId, isStaked, stakeStart: start, stakeEnd: end }));
  return { created: rows, spentLater, windows };
}

/** `spent`: when the same batch spent it again. */
function toRow(
  utxo: NewUtxo,
  createdOnChainId: Id,
  stake: StakeWindow | null,
  spent: SpentUtxo | undefined,
): UtxoRow {
  const { output, form } = utxo;
  return {
    utxoId: utxo.utxoId,
    txId: utxo.txId,
    outputIndex: utxo.outputIndex,
    assetId: utxo.assetId,
    amount: output.amount,
    createdOnChainId,
    spendableOnChainId: utxo.spendableOnChainId,
    blockHeight: utxo.blockHeight,
    blockTime: utxo.blockTime,
    stakeableLocktime: output.stakeableLocktime,
    owner: output.owners,
    outputKind: form?.kind ?? null,
    groupId: form?.groupId ?? null,
    payload: form?.payload ?? null,
    rewardType: utxo.rewardType ?? null,
    isStakeOutput: stake !== null,
    isStaked: stake?.isStaked ?? false,
    stakeStart: stake?.start ?? null,
    stakeEnd: stake?.end ?? null,
    consumingTxId: spent?.consumingTxId ?? null,
    consumingBlockHeight: spent?.blockHeight ?? null,
    consumingBlockTime: spent?.blockTime ?? null,
  };
}

function divide<T>(all: readonly T[], isFirst: (each: T) => boolean): [T[], T[]] {
  const [first, second]: [T[], T[]] = [[], []];
  for (const each of all) (isFirst(each) ? first : second).push(each);
  return [first, second];
}

/** A UTXO that leaves is spent in the list of the chain that created it: it cannot be spent there. */
async function insertCreated(
  transaction: Transaction,
  { network, aliases }: UtxoChain,
  rows: readonly UtxoRow[],
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  // The row is there already when the chain that it was exported to has been indexed further than this one.
  const [written] = await transaction.query<{ count: number }>({
    text: `WITH created AS (
       INSERT INTO utxos (network, ${columnNames(ALL)})
       SELECT $1, ${selected(ALL)} FROM ${unnest(ALL, 4)}
       ON CONFLICT (network, utxo_id) DO UPDATE SET amount = EXCLUDED.amount, ${assigned(CREATION.columns)}
         WHERE utxos.block_time IS NULL AND utxos.asset_id = EXCLUDED.asset_id
           AND COALESCE(utxos.amount = EXCLUDED.amount, true)
           AND utxos.created_on_chain_id = EXCLUDED.created_on_chain_id
           AND utxos.spendable_on_chain_id = EXCLUDED.spendable_on_chain_id
       RETURNING ${LISTED_COLUMNS}
     ), listed AS (
       ${insertListings('created')}
     )
     SELECT count(*)::int AS count FROM created`,
    values: [network, ...aliasLiterals(aliases), ...columnLiterals(ALL, rows)],
  });
  const refused = rows.length - (written?.count ?? 0);
  if (refused === 0) return;
  const where = `${refused} of ${rows.length} outputs, in block ${first.blockHeight} or later`;
  throw new IndexError(
    'STATE_MISMATCH',
    `${where}, were created before, or spent elsewhere with another amount or asset`,
  );
}

/**
 * Of imported ones often nothing but this consumption is known; others must be there. Both as an upsert, although only one
 * inserts: it always finds rows by their key, where an UPDATE with a join leaves that to the planner's guesses.
 */
async function spend(
  transaction: Transaction,
  { network, chainId, aliases }: UtxoChain,
  utxos: readonly SpentUtxo[],
): Promise<readonly SpentRow[]> {
  if (utxos.length === 0) return [];
  const rows = utxos.map(({ blockHeight, blockTime, ...utxo }) => ({
    ...utxo,
    spendableOnChainId: chainId,
    consumingBlockHeight: blockHeight,
    consumingBlockTime: blockTime,
  }));
  const listings = partitionOf('utxo_listings', network, aliases.get(chainId));
  return transaction.query<SpentRow>({
    text: `WITH spent AS (
       INSERT INTO utxos (network, ${columnNames(SPENDING)})
       SELECT $1, ${selected(SPENDING)} FROM ${unnest(SPENDING, 2)}
       ON CONFLICT (network, utxo_id) DO UPDATE SET ${assigned(CONSUMPTION.columns)}
         WHERE utxos.consuming_tx_id IS NULL
           AND utxos.created_on_chain_id = EXCLUDED.created_on_chain_id
           AND utxos.spendable_on_chain_id = EXCLUDED.spendable_on_chain_id
       RETURNING utxo_id, asset_id, amount, block_time, owner_addresses, consuming_block_height AS spent_height
     ), entry AS MATERIALIZED (
       SELECT ${LISTING_KEY}, spent_height FROM spent CROSS JOIN ${LISTED_ADDRESSES}
       WHERE block_time IS NOT NULL
     ), listed AS (
       ${markListings(listings, { entries: 'entry', isSpent: true })}
     )
     SELECT encode(utxo_id, 'hex') AS id, encode(asset_id, 'hex') AS "assetId", amount,
       block_time IS NOT NULL AS "isCreated"
     FROM spent`,
    values: [network, ...columnLiterals(SPENDING, rows)],
  });
}

async function changeStakeWindows(
  transaction: Transaction,
  { network }: UtxoChain,
  windows: readonly Pick<UtxoEntity, 'utxoId' | 'isStaked' | 'stakeStart' | 'stakeEnd'>[],
): Promise<void> {
  if (windows.length === 0) return;
  const { columns } = STAKE_WINDOW;
  const changed = columnNames(columns.slice(1));
  await transaction.execute({
    text: `UPDATE utxos SET (${changed}) = (
       SELECT ${changed} FROM ${unnest(columns, 2)} WHERE input.utxo_id = utxos.utxo_id
     )
     WHERE network = $1 AND utxo_id = ANY($2::bytea[])`,
    values: [network, ...columnLiterals(columns, windows)],
  });
}

function expectSpendable(
  utxos: readonly SpentUtxo[],
  rows: readonly SpentRow[],
  which: 'created' | 'any',
): void {
  const spent = new Map(rows.map((row) => [row.id, row]));
  for (const utxo of utxos) {
    const known = spent.get(utxo.utxoId);
    if (known === undefined || (which === 'created' && !known.isCreated)) {
      throw cannotSpend(utxo, 'which was never created or is spent');
    }
    expectSame(utxo, {
      assetId: known.assetId,
      amount: known.amount === null ? null : BigInt(known.amount),
    });
  }
}

function expectSame(utxo: SpentUtxo, created: Pick<SpentUtxo, 'assetId' | 'amount'>): void {
  const isSame = utxo.amount === null || utxo.amount === created.amount;
  if (isSame && utxo.assetId === created.assetId) return;
  const [ours, theirs] = [created, utxo].map(({ amount, assetId }) => `${amount} of asset ${assetId}`);
  throw cannotSpend(utxo, `which holds ${ours}, as ${theirs}`);
}

function cannotSpend({ consumingTxId, blockHeight, outputIndex, txId }: SpentUtxo, why: string): IndexError {
  const what = `transaction ${consumingTxId} in block ${blockHeight} spends output ${outputIndex} of ${txId}`;
  return new IndexError('STATE_MISMATCH', `${what} ${why}`);
}
