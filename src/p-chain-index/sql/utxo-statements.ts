import type { QueryRunner } from 'typeorm';
import { type Id, PRIMARY_NETWORK } from '../../avalanche/platformvm/ids.js';
import { PlatformVmError } from '../../avalanche/platformvm/platformvm.error.js';
import type { StateChanges } from '../../avalanche/platformvm/state/changes.js';
import type { ConsumedUtxo, CreatedUtxo, StakeWindow } from '../../avalanche/platformvm/state/records.js';
import { ownerColumns } from './owner-columns.js';
import { arrayLiteral } from '../../indexing/sql/array-literal.js';
import { select } from '../../indexing/sql/select.js';
import { type Column, column, columnLiterals, selectExpression, unnest } from '../../indexing/sql/table.js';

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

interface UtxoRow {
  readonly utxo: CreatedUtxo;
  readonly stake: StakeWindow | null;
  /** Null unless the same batch spent it again. */
  readonly consumed: ConsumedUtxo | null;
}

const IDENTITY: readonly Column<UtxoRow>[] = [
  column('utxo_id', 'bytea', ({ utxo }) => utxo.utxoId),
  column('tx_id', 'bytea', ({ utxo }) => utxo.txId),
  column('output_index', 'bigint', ({ utxo }) => utxo.outputIndex),
  column('asset_id', 'bytea', ({ utxo }) => utxo.assetId),
  column('amount', 'numeric', ({ utxo }) => utxo.output.amount),
  column('created_on_chain_id', 'bytea', () => P_CHAIN),
  column('spendable_on_chain_id', 'bytea', ({ utxo }) => utxo.spendableOnChainId),
];

/** What only the creation tells. */
const CREATION: readonly Column<UtxoRow>[] = [
  column('block_height', 'bigint', ({ utxo }) => utxo.blockHeight),
  column('block_time', 'bigint', ({ utxo }) => utxo.blockTime),
  column('stakeable_locktime', 'numeric', ({ utxo }) => utxo.output.stakeableLocktime),
  ...ownerColumns<UtxoRow>('owner', ({ utxo }) => utxo.output.owners),
  column('is_stake_output', 'boolean', ({ stake }) => stake !== null),
  column('staked', 'boolean', ({ stake }) => stake?.isStaked ?? false),
  column('stake_start', 'bigint', ({ stake }) => stake?.start ?? null),
  column('stake_end', 'bigint', ({ stake }) => stake?.end ?? null),
  column('reward_type', 'text', ({ utxo }) => utxo.rewardType),
];

const CONSUMPTION: readonly Column<UtxoRow>[] = [
  column('consuming_tx_id', 'bytea', ({ consumed }) => consumed?.consumingTxId ?? null),
  column('consuming_block_height', 'bigint', ({ consumed }) => consumed?.blockHeight ?? null),
  column('consuming_block_time', 'bigint', ({ consumed }) => consumed?.blockTime ?? null),
];

const SPENDING: readonly Column<ConsumedUtxo>[] = [
  column('consuming_tx_id', 'bytea', ({ consumingTxId }) => consumingTxId),
  column('consuming_block_height', 'bigint', ({ blockHeight }) => blockHeight),
  column('consuming_block_time', 'bigint', ({ blockTime }) => blockTime),
];

const SPENT_IDENTITY: readonly Column<ConsumedUtxo>[] = [
  column('utxo_id', 'bytea', ({ utxoId }) => utxoId),
  column('tx_id', 'bytea', ({ txId }) => txId),
  column('output_index', 'bigint', ({ outputIndex }) => outputIndex),
  column('asset_id', 'bytea', ({ assetId }) => assetId),
  column('amount', 'numeric', ({ amount }) => amount),
  column('created_on_chain_id', 'bytea', ({ createdOnChainId }) => createdOnChainId),
  column('spendable_on_chain_id', 'bytea', () => P_CHAIN),
];

const WINDOWS: readonly Column<readonly [Id, StakeWindow]>[] = [
  column('utxo_id', 'bytea', ([utxoId]) => utxoId),
  column('staked', 'boolean', ([, { isStaked }]) => isStaked),
  column('stake_start', 'bigint', ([, { start }]) => start),
  column('stake_end', 'bigint', ([, { end }]) => end),
];

const names = (columns: readonly Pick<Column<never>, 'name'>[]): string =>
  columns.map(({ name }) => name).join(', ');
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
  runner: QueryRunner,
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
  const rows = changes.createdUtxos.map((utxo) => ({
    utxo,
    stake: changes.stakeWindows.get(utxo.utxoId) ?? utxo.stake,
    consumed: spentAtOnce.get(utxo.utxoId) ?? null,
  }));
  const windows = [...changes.stakeWindows].filter(([utxoId]) => !created.has(utxoId));
  await insertCreated(runner, network, rows, letters);
  await spend(runner, network, spentLater, letters);
  await changeStakeWindows(runner, network, windows);
}

async function insertCreated(
  runner: QueryRunner,
  network: string,
  rows: readonly UtxoRow[],
  letters: ChainLetters,
): Promise<void> {
  if (rows.length === 0) return;
  const columns = [...IDENTITY, ...CREATION, ...CONSUMPTION];
  // The row is there already when the chain that it was exported to has been indexed further than this one.
  await runner.query(
    `WITH created AS (
       INSERT INTO utxos (network, ${names(columns)})
       SELECT $1, ${selected(columns)} FROM ${unnest(columns, 4)}
       ON CONFLICT (network, utxo_id) DO UPDATE SET ${assigned(CREATION, 'EXCLUDED')}
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
    [network, ...letterLiterals(letters), ...columnLiterals(columns, rows)],
  );
}

/**
 * Of most imported ones nothing but this consumption is known; others must be there. Both as an upsert, although only one
 * inserts: it always finds rows by their key, where an UPDATE with a join leaves that to the planner's guesses.
 */
async function spend(
  runner: QueryRunner,
  network: string,
  utxos: readonly ConsumedUtxo[],
  letters: ChainLetters,
): Promise<void> {
  if (utxos.length === 0) return;
  const columns = [...SPENT_IDENTITY, ...SPENDING];
  const rows = await select<SpentRow>(
    runner,
    `WITH spent AS (
       INSERT INTO utxos (network, ${names(columns)})
       SELECT $1, ${selected(columns)} FROM ${unnest(columns, 3)}
       ON CONFLICT (network, utxo_id) DO UPDATE SET ${assigned(SPENDING, 'EXCLUDED')}
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
    [network, arrayLiteral('bytea', [...letters.keys()]), ...columnLiterals(columns, utxos)],
  );
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
  runner: QueryRunner,
  network: string,
  windows: readonly (readonly [Id, StakeWindow])[],
): Promise<void> {
  if (windows.length === 0) return;
  await runner.query(
    `UPDATE utxos SET (${names(WINDOWS.slice(1))}) = (
       SELECT ${names(WINDOWS.slice(1))} FROM ${unnest(WINDOWS, 2)} WHERE input.utxo_id = utxos.utxo_id
     )
     WHERE network = $1 AND utxo_id = ANY($2::bytea[])`,
    [network, ...columnLiterals(WINDOWS, windows)],
  );
}

function letterLiterals(letters: ChainLetters): string[] {
  return columnLiterals<readonly [Id, string]>(
    [column('chain_id', 'bytea', ([id]) => id), column('letter', 'text', ([, letter]) => letter)],
    [...letters],
  );
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
