import { type Id, PRIMARY_NETWORK } from '../../avalanche/platformvm/ids.js';
import { PlatformVmError } from '../../avalanche/platformvm/platformvm.error.js';
import type { StateChanges } from '../../avalanche/platformvm/state/changes.js';
import type { ConsumedUtxo, CreatedUtxo, StakeWindow } from '../../avalanche/platformvm/state/records.js';
import type { Transaction } from '../../database/database.js';
import { arrayLiteral } from '../../indexing/sql/array-literal.js';
import { id, record, text } from '../../indexing/sql/field.js';
import {
  type Column,
  column,
  columnLiterals,
  columnNames,
  selectExpression,
  unnest,
} from '../../indexing/sql/table.js';
import { CONSUMPTION, CREATION, IDENTITY, SPENT, SPENT_IDENTITY, STAKE_WINDOW } from './utxo-fields.js';

/** Letters of the lists by blockchain id; a UTXO of any other chain stands in no list of it. */
export type ChainLetters = ReadonlyMap<Id, 'P' | 'X' | 'C'>;

const P_CHAIN = PRIMARY_NETWORK;

interface SpentRow {
  readonly id: Id;
  /** As created. */
  readonly assetId: Id;
  readonly amount: string;
  /** Whether its creation is known. */
  readonly isCreated: boolean;
}

interface WrittenUtxo {
  readonly utxo: CreatedUtxo;
  readonly createdOnChainId: Id;
  readonly isStakeOutput: boolean;
  readonly isStaked: boolean;
  readonly stake: StakeWindow | null;
  /** Null unless the same batch spent it again. */
  readonly consumed: ConsumedUtxo | null;
}

const CHAIN_LETTER = record({ chainId: id('chain_id'), letter: text('letter') });

const selected = (columns: readonly Pick<Column<never>, 'name' | 'type'>[]): string =>
  columns.map(selectExpression).join(', ');
const assigned = (columns: readonly Pick<Column<never>, 'name'>[], source: string): string =>
  columns.map(({ name }) => `${name} = ${source}.${name}`).join(', ');

/** One row per list: the whole chain's (the empty address) and that of each owner. */
const LISTED_ADDRESSES = "unnest(array_prepend(''::bytea, owner_addresses)) AS address";

/**
 * Writes what became of UTXOs. Throws PlatformVmError STATE_MISMATCH when a spent one is not there to be spent, or was created
 * with another amount or asset than its spender names. Nodes refuse such inputs, so that each of them proves what we
 * worked out: a reward that is off by one unit ends here.
 */
export async function writeUtxos(
  transaction: Transaction,
  network: string,
  changes: StateChanges,
  letters: ChainLetters,
): Promise<void> {
  const created = new Map(changes.createdUtxos.map((utxo) => [utxo.utxoId, utxo]));
  const spentAtOnce = new Map<Id, ConsumedUtxo>();
  const spentLater: ConsumedUtxo[] = [];
  const seen = new Set<Id>();
  for (const utxo of changes.consumedUtxos) {
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
  const rows = changes.createdUtxos.map((utxo) => {
    const stake = changes.stakeWindows.get(utxo.utxoId) ?? utxo.stake;
    return {
      utxo,
      createdOnChainId: P_CHAIN,
      isStakeOutput: stake !== null,
      isStaked: stake?.isStaked ?? false,
      stake,
      consumed: spentAtOnce.get(utxo.utxoId) ?? null,
    };
  });
  const windows = [...changes.stakeWindows]
    .filter(([utxoId]) => !created.has(utxoId))
    .map(([utxoId, window]) => ({ utxoId, window }));
  await insertCreated(transaction, network, rows, letters);
  await spend(transaction, network, spentLater, letters);
  await changeStakeWindows(transaction, network, windows);
}

async function insertCreated(
  transaction: Transaction,
  network: string,
  rows: readonly WrittenUtxo[],
  letters: ChainLetters,
): Promise<void> {
  if (rows.length === 0) return;
  const columns: readonly Column<WrittenUtxo>[] = [
    ...IDENTITY.columns,
    ...CREATION.columns,
    ...CONSUMPTION.columns,
  ];
  // The row is there already when the chain that it was exported to has been indexed further than this one.
  await transaction.execute({
    text: `WITH created AS (
       INSERT INTO utxos (network, ${columnNames(columns)})
       SELECT $1, ${selected(columns)} FROM ${unnest(columns, 4)}
       ON CONFLICT (network, utxo_id) DO UPDATE SET ${assigned(CREATION.columns, 'EXCLUDED')}
       RETURNING utxo_id, asset_id, amount, block_time, owner_threshold, owner_addresses,
         created_on_chain_id, spendable_on_chain_id, consuming_tx_id IS NOT NULL AS is_spent
     )
     INSERT INTO utxo_listings
       (network, chain, address, is_spent, block_time, amount, utxo_id, asset_id, threshold, owners)
     SELECT $1, letter, address, is_spent, block_time, amount, utxo_id, asset_id, owner_threshold,
       CASE WHEN owner_threshold > 1 THEN owner_addresses END
     FROM created
     JOIN unnest($2::bytea[], $3::text[]) AS chains (chain_id, letter)
       ON chain_id IN (created_on_chain_id, spendable_on_chain_id)
     CROSS JOIN ${LISTED_ADDRESSES}`,
    values: [network, ...letterLiterals(letters), ...columnLiterals(columns, rows)],
  });
}

/**
 * Of most imported ones nothing but this consumption is known; others must be there. Both as an upsert, although only one
 * inserts: it always finds rows by their key, where an UPDATE with a join leaves that to the planner's guesses.
 */
async function spend(
  transaction: Transaction,
  network: string,
  utxos: readonly ConsumedUtxo[],
  letters: ChainLetters,
): Promise<void> {
  if (utxos.length === 0) return;
  const columns: readonly Column<ConsumedUtxo>[] = [
    ...SPENT_IDENTITY.columns,
    column('spendable_on_chain_id', 'bytea', () => P_CHAIN),
    ...SPENT.columns,
  ];
  const rows = await transaction.query<SpentRow>({
    text: `WITH spent AS (
       INSERT INTO utxos (network, ${columnNames(columns)})
       SELECT $1, ${selected(columns)} FROM ${unnest(columns, 3)}
       ON CONFLICT (network, utxo_id) DO UPDATE SET ${assigned(SPENT.columns, 'EXCLUDED')}
         WHERE utxos.consuming_tx_id IS NULL
       RETURNING utxo_id, asset_id, amount, block_time, owner_addresses, created_on_chain_id, spendable_on_chain_id
     ), entry AS MATERIALIZED (
       SELECT utxo_id, block_time, address, created_on_chain_id, spendable_on_chain_id
       FROM spent CROSS JOIN ${LISTED_ADDRESSES}
       WHERE block_time IS NOT NULL
     ), ${listedAsSpent(network, letters)}
     SELECT encode(utxo_id, 'hex') AS id, encode(asset_id, 'hex') AS "assetId", amount,
       block_time IS NOT NULL AS "isCreated"
     FROM spent`,
    values: [network, arrayLiteral('bytea', [...letters.keys()]), ...columnLiterals(columns, utxos)],
  });
  expectSpendable(rows, utxos);
}

/**
 * Moves the entries of each chain's lists, whose id is the array $2, to the spent ones. The row is looked up by the list's
 * index first and then taken by its place: a plain join is the planner's choice, and a wrong one reads whole lists.
 */
function listedAsSpent(network: string, letters: ChainLetters): string {
  const updates = [...letters.values()].map((letter, index) => {
    const table = `utxo_listings_${network}_${letter.toLowerCase()}`;
    return `listed_${letter.toLowerCase()} AS (
       UPDATE ${table} AS listing SET is_spent = true
       FROM (
         SELECT found.place FROM entry
         CROSS JOIN LATERAL (
           SELECT ctid AS place FROM ${table} AS candidate
           WHERE candidate.address = entry.address AND NOT candidate.is_spent
             AND candidate.block_time = entry.block_time AND candidate.utxo_id = entry.utxo_id
           OFFSET 0
         ) AS found
         WHERE ($2::bytea[])[${index + 1}] IN (created_on_chain_id, spendable_on_chain_id)
       ) AS target
       WHERE listing.ctid = target.place
     )`;
  });
  return updates.join(', ');
}

async function changeStakeWindows(
  transaction: Transaction,
  network: string,
  windows: readonly { readonly utxoId: Id; readonly window: StakeWindow }[],
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

function letterLiterals(letters: ChainLetters): string[] {
  const rows = [...letters].map(([chainId, letter]) => ({ chainId, letter }));
  return columnLiterals(CHAIN_LETTER.columns, rows);
}

function expectSpendable(rows: readonly SpentRow[], utxos: readonly ConsumedUtxo[]): void {
  const spent = new Map(rows.map((row) => [row.id, row]));
  for (const utxo of utxos) {
    const known = spent.get(utxo.utxoId);
    if (known === undefined || (!known.isCreated && utxo.createdOnChainId === P_CHAIN)) {
      throw cannotSpend(utxo, 'which was never created or is spent');
    }
    expectSame(utxo, { assetId: known.assetId, amount: BigInt(known.amount) });
  }
}

function expectSame(utxo: ConsumedUtxo, created: Pick<ConsumedUtxo, 'assetId' | 'amount'>): void {
  if (utxo.amount === created.amount && utxo.assetId === created.assetId) return;
  const [ours, theirs] = [created, utxo].map(({ amount, assetId }) => `${amount} of asset ${assetId}`);
  throw cannotSpend(utxo, `which holds ${ours}, as ${theirs}`);
}

function cannotSpend(
  { consumingTxId, blockHeight, outputIndex, txId }: ConsumedUtxo,
  why: string,
): PlatformVmError {
  const what = `transaction ${consumingTxId} in block ${blockHeight} spends output ${outputIndex} of ${txId}`;
  return new PlatformVmError('STATE_MISMATCH', `${what} ${why}`);
}
