import type { QueryRunner } from 'typeorm';
import { type Id, PRIMARY_NETWORK } from '../../avalanche/platformvm/ids.js';
import { PlatformVmError } from '../../avalanche/platformvm/platformvm.error.js';
import type { StateChanges } from '../../avalanche/platformvm/state/changes.js';
import type { ConsumedUtxo, CreatedUtxo, StakeWindow } from '../../avalanche/platformvm/state/records.js';
import { ownerColumns } from './owner-columns.js';
import { select } from './select.js';
import { type Column, column, columnLiterals, selectExpression, unnest } from './table.js';

/** Letters of the lists by blockchain id; a UTXO of any other chain stands in no list of it. */
export type ChainLetters = ReadonlyMap<Id, 'P' | 'X' | 'C'>;

const P_CHAIN = PRIMARY_NETWORK;

interface SpentRow {
  readonly id: Id;
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

const SPENT: readonly Column<ConsumedUtxo>[] = [
  column('utxo_id', 'bytea', ({ utxoId }) => utxoId),
  column('consuming_tx_id', 'bytea', ({ consumingTxId }) => consumingTxId),
  column('consuming_block_height', 'bigint', ({ blockHeight }) => blockHeight),
  column('consuming_block_time', 'bigint', ({ blockTime }) => blockTime),
];

const IMPORTED: readonly Column<ConsumedUtxo>[] = [
  ...SPENT,
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

/** Writes what became of UTXOs. Throws PlatformVmError STATE_MISMATCH when a spent one is not there to be spent. */
export async function writeUtxos(
  runner: QueryRunner,
  network: string,
  changes: StateChanges,
  letters: ChainLetters,
): Promise<void> {
  const created = new Set(changes.createdUtxos.map(({ utxoId }) => utxoId));
  const spentAtOnce = new Map<Id, ConsumedUtxo>();
  const spentLater: ConsumedUtxo[] = [];
  const imported: ConsumedUtxo[] = [];
  const seen = new Set<Id>();
  for (const utxo of changes.consumedUtxos) {
    if (seen.has(utxo.utxoId)) throw spentTwice(utxo);
    seen.add(utxo.utxoId);
    if (utxo.createdOnChainId !== P_CHAIN) imported.push(utxo);
    else if (created.has(utxo.utxoId)) spentAtOnce.set(utxo.utxoId, utxo);
    else spentLater.push(utxo);
  }
  const rows = changes.createdUtxos.map((utxo) => ({
    utxo,
    stake: changes.stakeWindows.get(utxo.utxoId) ?? utxo.stake,
    consumed: spentAtOnce.get(utxo.utxoId) ?? null,
  }));
  const windows = [...changes.stakeWindows].filter(([utxoId]) => !created.has(utxoId));
  await insertCreated(runner, network, rows, letters);
  await spend(runner, network, spentLater);
  await spendImported(runner, network, imported, letters);
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

async function spend(runner: QueryRunner, network: string, utxos: readonly ConsumedUtxo[]): Promise<void> {
  if (utxos.length === 0) return;
  const rows = await select<SpentRow>(
    runner,
    `WITH spent AS (
       UPDATE utxos SET ${assigned(SPENT.slice(1), 'input')}
       FROM ${unnest(SPENT, 2)}
       WHERE utxos.network = $1 AND utxos.utxo_id = input.utxo_id
         AND utxos.consuming_tx_id IS NULL AND utxos.block_time IS NOT NULL
       RETURNING utxos.utxo_id, utxos.block_time, utxos.owner_addresses
     ), listed AS (
       UPDATE utxo_listings AS listing SET is_spent = true
       FROM (SELECT * FROM spent CROSS JOIN ${LISTED_ADDRESSES}) AS entry
       WHERE listing.network = $1 AND listing.chain = 'P' AND listing.address = entry.address
         AND NOT listing.is_spent AND listing.block_time = entry.block_time AND listing.utxo_id = entry.utxo_id
     )
     SELECT encode(utxo_id, 'hex') AS id FROM spent`,
    [network, ...columnLiterals(SPENT, utxos)],
  );
  expectAll(rows, utxos);
}

/** Of most imported ones nothing but this consumption is known. */
async function spendImported(
  runner: QueryRunner,
  network: string,
  utxos: readonly ConsumedUtxo[],
  letters: ChainLetters,
): Promise<void> {
  if (utxos.length === 0) return;
  const rows = await select<SpentRow>(
    runner,
    `WITH spent AS (
       INSERT INTO utxos (network, ${names(IMPORTED)})
       SELECT $1, ${selected(IMPORTED)} FROM ${unnest(IMPORTED, 4)}
       ON CONFLICT (network, utxo_id) DO UPDATE SET ${assigned(SPENT.slice(1), 'EXCLUDED')}
         WHERE utxos.consuming_tx_id IS NULL
       RETURNING utxo_id, block_time, owner_addresses, created_on_chain_id, spendable_on_chain_id
     ), listed AS (
       UPDATE utxo_listings AS listing SET is_spent = true
       FROM (
         SELECT * FROM spent
         JOIN unnest($2::bytea[], $3::text[]) AS chains (chain_id, letter)
           ON chain_id IN (created_on_chain_id, spendable_on_chain_id)
         CROSS JOIN ${LISTED_ADDRESSES}
         WHERE block_time IS NOT NULL
       ) AS entry
       WHERE listing.network = $1 AND listing.chain = entry.letter AND listing.address = entry.address
         AND NOT listing.is_spent AND listing.block_time = entry.block_time AND listing.utxo_id = entry.utxo_id
     )
     SELECT encode(utxo_id, 'hex') AS id FROM spent`,
    [network, ...letterLiterals(letters), ...columnLiterals(IMPORTED, utxos)],
  );
  expectAll(rows, utxos);
}

async function changeStakeWindows(
  runner: QueryRunner,
  network: string,
  windows: readonly (readonly [Id, StakeWindow])[],
): Promise<void> {
  if (windows.length === 0) return;
  await runner.query(
    `UPDATE utxos SET ${assigned(WINDOWS.slice(1), 'input')} FROM ${unnest(WINDOWS, 2)}
     WHERE utxos.network = $1 AND utxos.utxo_id = input.utxo_id`,
    [network, ...columnLiterals(WINDOWS, windows)],
  );
}

function letterLiterals(letters: ChainLetters): string[] {
  return columnLiterals<readonly [Id, string]>(
    [column('chain_id', 'bytea', ([id]) => id), column('letter', 'text', ([, letter]) => letter)],
    [...letters],
  );
}

function expectAll(rows: readonly SpentRow[], utxos: readonly ConsumedUtxo[]): void {
  if (rows.length === utxos.length) return;
  const spent = new Set(rows.map(({ id }) => id));
  const missing = utxos.find(({ utxoId }) => !spent.has(utxoId));
  if (missing === undefined) throw new RangeError(`${rows.length} rows for ${utxos.length} spent UTXOs`);
  throw new PlatformVmError(
    'STATE_MISMATCH',
    `${spender(missing)} output ${missing.outputIndex} of ${missing.txId}, which was never created or is spent`,
  );
}

function spentTwice(utxo: ConsumedUtxo): PlatformVmError {
  return new PlatformVmError(
    'STATE_MISMATCH',
    `${spender(utxo)} output ${utxo.outputIndex} of ${utxo.txId} a second time`,
  );
}

function spender({ consumingTxId, blockHeight }: ConsumedUtxo): string {
  return `transaction ${consumingTxId} in block ${blockHeight} spends`;
}
