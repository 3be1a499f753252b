import type { Id } from '../../avalanche/platformvm/ids.js';
import type { Transaction } from '../../platform/database/database.js';
import { arrayLiteral } from '../../platform/database/array-literal.js';
import { lockCrossChainUtxos } from './cross-chain-lock.js';
import { forgetUtxos } from './forget-utxos.js';
import type { UtxoChain, UtxoChanges } from './utxo.js';
import { writeUtxos } from './write-utxos.js';

/**
 * Writes what blocks of one chain did to UTXOs that cross, the blocks in any order and however often: of several blocks with the same UTXO
 * the lowest counts. Throws as `writeUtxos`.
 */
export async function recordUtxos(
  transaction: Transaction,
  chain: UtxoChain,
  changes: UtxoChanges,
): Promise<void> {
  const created = lowestOfEach(changes.created);
  const consumed = lowestOfEach(changes.consumed);
  if (created.size === 0 && consumed.size === 0) return;
  await lockCrossChainUtxos(transaction, chain.network);
  const known = await findRecorded(transaction, chain, [...created.keys(), ...consumed.keys()]);
  const newlyCreated = selectNew(created, known.created);
  const newlyConsumed = selectNew(consumed, known.consumed);
  await forgetUtxos(transaction, chain, {
    created: newlyCreated.map(({ utxoId }) => utxoId).filter((id) => known.created.has(id)),
    consumed: newlyConsumed.map(({ utxoId }) => utxoId).filter((id) => known.consumed.has(id)),
  });
  await writeUtxos(transaction, chain, { created: newlyCreated, consumed: newlyConsumed });
}

interface UtxoRecord {
  readonly utxoId: Id;
  readonly blockHeight: bigint;
}

function lowestOfEach<T extends UtxoRecord>(all: readonly T[]): Map<Id, T> {
  const lowest = new Map<Id, T>();
  for (const each of all) {
    const other = lowest.get(each.utxoId);
    if (other === undefined || each.blockHeight < other.blockHeight) lowest.set(each.utxoId, each);
  }
  return lowest;
}

/** Those that nothing is known of, or by a higher block. */
function selectNew<T extends UtxoRecord>(records: ReadonlyMap<Id, T>, known: ReadonlyMap<Id, bigint>): T[] {
  return [...records.values()].filter(({ utxoId, blockHeight }) => {
    const height = known.get(utxoId);
    return height === undefined || blockHeight < height;
  });
}

/** By which blocks the chain has created and consumed these, as far as it is on record. */
export async function findRecorded(
  transaction: Transaction,
  { network, chainId }: UtxoChain,
  ids: readonly Id[],
): Promise<{ created: ReadonlyMap<Id, bigint>; consumed: ReadonlyMap<Id, bigint> }> {
  const rows = await transaction.query<{ id: Id; created: string | null; consumed: string | null }>({
    text: `SELECT encode(utxo_id, 'hex') AS id, CASE WHEN created_on_chain_id = $3 THEN block_height END AS created,
        CASE WHEN spendable_on_chain_id = $3 THEN consuming_block_height END AS consumed
      FROM utxos WHERE network = $1 AND utxo_id = ANY($2::bytea[])`,
    values: [network, arrayLiteral('bytea', ids), Buffer.from(chainId, 'hex')],
  });
  const heights = (side: 'created' | 'consumed') =>
    new Map(
      rows.flatMap(({ id, [side]: height }) => (height === null ? [] : [[id, BigInt(height)] as const])),
    );
  return { created: heights('created'), consumed: heights('consumed') };
}
