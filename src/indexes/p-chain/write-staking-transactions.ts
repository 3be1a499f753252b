import { packUnsignedTransaction } from '../../avalanche/platformvm/codec/transaction.js';
import type { Id, ShortId } from '../../avalanche/platformvm/ids.js';
import type { OutputOwners } from '../../avalanche/platformvm/output.js';
import type { StateChanges } from '../../avalanche/platformvm/state/changes.js';
import type { StakingTransaction } from '../../avalanche/platformvm/state/records.js';
import { isOver } from '../../avalanche/platformvm/state/staker-status.js';
import { allOutputsOf, rewardOwnersOf, type StakerTx } from '../../avalanche/platformvm/transaction.js';
import { spentIds } from '../../avalanche/platformvm/utxo-id.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { arrayLiteral } from '../../platform/database/array-literal.js';
import { partitionOf } from '../../platform/database/chains.js';
import type { Queryable, Transaction } from '../../platform/database/database.js';
import { columnsOf, readAll } from '../../platform/database/entity-columns.js';
import { Table } from '../../platform/database/table.js';
import { UtxoEntity } from '../utxos/utxo.entities.js';
import {
  NO_ADDRESS,
  StakingListing,
  StakingTransactionEntity,
} from './entities/staking-transaction.entities.js';

export const STAKING_TRANSACTIONS = new Table(StakingTransactionEntity);
export const STAKING_LISTINGS = new Table(StakingListing);

const OWNED = columnsOf(UtxoEntity, 'utxoId', 'owner');

/** Forgets the transactions of stakes that ended, and writes those of new ones. The UTXOs must be written already. */
export async function writeStakingTransactions(
  transaction: Transaction,
  network: NetworkName,
  { stakers, stakingTransactions }: Pick<StateChanges, 'stakers' | 'stakingTransactions'>,
): Promise<void> {
  const over = new Set([...stakers.values()].filter(isOver).map(({ txId }) => txId));
  const ended = [...over].filter((txId) => !stakingTransactions.has(txId));
  if (ended.length > 0) await forget(transaction, network, ended);
  const begun = [...stakingTransactions.values()].filter(({ txId }) => !over.has(txId));
  if (begun.length === 0) return;
  const addressesOf = await findAddresses(
    transaction,
    network,
    begun.map(({ unsigned }) => unsigned),
  );
  const rows = begun.map((staking) => toRow(staking, addressesOf(staking.unsigned)));
  await STAKING_TRANSACTIONS.insert(transaction, network, rows);
  await STAKING_LISTINGS.insert(
    transaction,
    network,
    rows.flatMap(({ addresses, txType, blockTime, txId }) =>
      [NO_ADDRESS, ...addresses].map((address) => ({ address, txType, blockTime, txId })),
    ),
  );
}

/** All that have to do with each of some transactions, in order; who owned what they consumed stands in the UTXOs. */
export async function findAddresses(
  source: Queryable,
  network: NetworkName,
  transactions: readonly StakerTx[],
): Promise<(tx: StakerTx) => ShortId[]> {
  const ids = transactions.flatMap(({ inputs }) => spentIds(inputs));
  const consumed = await readAll(
    source,
    OWNED,
    `FROM ${partitionOf('utxos', network)} WHERE network = $1 AND utxo_id = ANY ($2::bytea[])`,
    [network, arrayLiteral('bytea', ids)],
  );
  const ownerOf = new Map(consumed.map(({ utxoId: id, owner }) => [id, owner?.addresses ?? []]));
  return (tx) => {
    const spenders = spentIds(tx.inputs).flatMap((id) => ownerOf.get(id) ?? []);
    return [...new Set([...spenders, ...ownersIn(tx).flatMap(({ addresses }) => addresses)])].sort();
  };
}

function ownersIn(tx: StakerTx): OutputOwners[] {
  const authority = tx.type === 'AddAutoRenewedValidator' ? [tx.validatorAuthority] : [];
  return [...allOutputsOf(tx).map(({ owners }) => owners), ...rewardOwnersOf(tx), ...authority];
}

function toRow({ unsigned, ...staking }: StakingTransaction, addresses: readonly ShortId[]) {
  return { ...staking, txType: unsigned.type, unsigned: packUnsignedTransaction(unsigned), addresses };
}

/**
 * OFFSET keeps the look-up by the key, one listing at a time: while there are no statistics yet, the planner takes it for cheaper to
 * compare each with all that there are.
 */
async function forget(transaction: Transaction, network: NetworkName, ended: readonly Id[]): Promise<void> {
  const listings = partitionOf(STAKING_LISTINGS.name, network);
  await transaction.execute({
    text: `WITH ended AS (
         DELETE FROM ${partitionOf(STAKING_TRANSACTIONS.name, network)} WHERE network = $1 AND tx_id = ANY ($2::bytea[])
         RETURNING tx_id, tx_type, block_time, addresses
       )
       DELETE FROM ${listings} AS listing
        USING ended CROSS JOIN unnest(ended.addresses || '\\x'::bytea) AS each (address)
        CROSS JOIN LATERAL (
          SELECT ctid AS place FROM ${listings} AS candidate
           WHERE candidate.network = $1 AND candidate.address = each.address AND candidate.tx_type = ended.tx_type
             AND candidate.block_time = ended.block_time AND candidate.tx_id = ended.tx_id
          OFFSET 0
        ) AS found
        WHERE listing.ctid = found.place`,
    values: [network, arrayLiteral('bytea', ended)],
  });
}
