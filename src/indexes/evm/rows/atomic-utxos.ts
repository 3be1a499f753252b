import {
  type AtomicTransaction,
  readAtomicTransactions,
  spentByAsset,
} from '../../../avalanche/evm/blocks/atomic-transactions.js';
import type { EvmHeader } from '../../../avalanche/evm/blocks/block.js';
import { EvmError } from '../../../avalanche/evm/evm.error.js';
import { type Id, PRIMARY_NETWORK } from '../../../avalanche/platformvm/ids.js';
import { madeIds, spentIds, utxoId } from '../../../avalanche/platformvm/utxo-id.js';
import { type EvmChainRef, evmChainKey } from '../../../platform/database/chains.js';
import type { Transaction } from '../../../platform/database/database.js';
import { type HeightRange, includes } from '../../engine/coverage/height-range.js';
import { IndexError } from '../../engine/following/index.error.js';
import { EvmAtomicTransaction } from '../entities/evm-atomic-transaction.entity.js';
import { Table } from '../../../platform/database/table.js';
import { countBurned } from './atomic-totals.js';
import { forgetUtxos } from '../../utxos/forget-utxos.js';
import { findRecorded, recordUtxos } from '../../utxos/record-utxos.js';
import type { NewUtxo, SpentUtxo, UtxoChain } from '../../utxos/utxo.js';

const ATOMIC_TRANSACTIONS = new Table(EvmAtomicTransaction);

/** How many are forgotten at once: their outputs are held in memory. */
const FORGOTTEN_AT_ONCE = 5_000;

interface PlacedTransaction {
  readonly header: EvmHeader;
  readonly position: number;
  readonly transaction: AtomicTransaction;
}

/** Puts what the blocks' atomic transactions export and import among the UTXOs of all chains. Throws EvmError MALFORMED. */
export async function writeAtomicTransactions(
  transaction: Transaction,
  chain: EvmChainRef,
  headers: readonly EvmHeader[],
): Promise<void> {
  const placed = headers.flatMap((header) =>
    readAtomicTransactions(header).map((each, position) => ({ header, position, transaction: each })),
  );
  const [first] = placed;
  if (first === undefined) return;
  const rows = placed.map(({ header, position, transaction: { id: txId, unsigned } }) => ({
    height: header.height,
    position,
    blockTime: header.timestampSeconds,
    txId,
    blockchainId: unsigned.blockchainId,
    burned: Object.fromEntries(
      [...spentByAsset(unsigned)].map(([asset, amount]) => [asset, amount.toString()]),
    ),
    created: unsigned.type === 'Export' ? madeIds(txId, unsigned.exportedOutputs) : [],
    consumed: unsigned.type === 'Import' ? spentIds(unsigned.importedInputs) : [],
  }));
  const added = ATOMIC_TRANSACTIONS.missing(evmChainKey(chain).toString(), rows);
  await transaction.execute({
    text: `WITH changed AS (${added.text} RETURNING height, position, tx_id, burned) ${countBurned('+')}`,
    values: added.values,
  });
  try {
    await recordUtxos(
      transaction,
      utxoChain(chain, first.transaction.unsigned.blockchainId, otherChains(placed)),
      {
        created: placed.flatMap(exported),
        consumed: placed.flatMap(imported),
      },
    );
  } catch (error) {
    // Another node may show another block; the chain's other facets go on meanwhile.
    if (!(error instanceof IndexError) || error.code !== 'STATE_MISMATCH') throw error;
    throw new EvmError('MALFORMED', error.message, { cause: error });
  }
}

/** Outputs recorded by blocks of these heights, unless a lower block has recorded them first. */
export async function forgetAtomicTransactions(
  transaction: Transaction,
  chain: EvmChainRef,
  range: HeightRange,
): Promise<void> {
  while (await forgetSomeAtomicTransactions(transaction, chain, range));
}

/** Some of it; whether there may be more. */
export async function forgetSomeAtomicTransactions(
  transaction: Transaction,
  chain: EvmChainRef,
  range: HeightRange,
): Promise<boolean> {
  const key = evmChainKey(chain).toString();
  const rows = await transaction.query<{ blockchainId: Id; created: Id[]; consumed: Id[] }>({
    text: `WITH changed AS (
         DELETE FROM evm_atomic_transactions WHERE chain_key = $1 AND (height, position) IN (
           SELECT height, position FROM evm_atomic_transactions
            WHERE chain_key = $1 AND height BETWEEN $2 AND $3 LIMIT ${FORGOTTEN_AT_ONCE}
         ) RETURNING *),
       counted AS (${countBurned('-')})
       SELECT encode(blockchain_id, 'hex') AS "blockchainId",
         ARRAY(SELECT encode(each, 'hex') FROM unnest(created) AS each) AS created,
         ARRAY(SELECT encode(each, 'hex') FROM unnest(consumed) AS each) AS consumed
         FROM changed`,
    values: [key, range.from, range.to],
  });
  const [first] = rows;
  if (first === undefined) return false;
  const place = utxoChain(chain, first.blockchainId, []);
  const recorded = await findRecorded(
    transaction,
    place,
    rows.flatMap(({ created, consumed }) => [...created, ...consumed]),
  );
  const within = (heights: ReadonlyMap<Id, bigint>): Id[] =>
    [...heights].flatMap(([id, height]) => (includes(range, height) ? [id] : []));
  await forgetUtxos(transaction, place, {
    created: within(recorded.created),
    consumed: within(recorded.consumed),
  });
  return true;
}

/** Of the chains that the C-chain exchanges with, what is not the P-chain is the X-chain. */
function utxoChain({ network }: EvmChainRef, chainId: Id, others: readonly Id[]): UtxoChain {
  return {
    network,
    chainId,
    aliases: new Map([
      ...others.map((other) => [other, 'X'] as const),
      [PRIMARY_NETWORK, 'P'] as const,
      [chainId, 'C'] as const,
    ]),
  };
}

function otherChains(placed: readonly PlacedTransaction[]): Id[] {
  return placed.map(({ transaction: { unsigned } }) =>
    unsigned.type === 'Export' ? unsigned.destinationChain : unsigned.sourceChain,
  );
}

function exported({ header, transaction: { id: txId, unsigned } }: PlacedTransaction): NewUtxo[] {
  if (unsigned.type !== 'Export') return [];
  return unsigned.exportedOutputs.map(({ assetId, ...output }, outputIndex) => ({
    utxoId: utxoId(txId, outputIndex),
    txId,
    outputIndex,
    assetId,
    output,
    spendableOnChainId: unsigned.destinationChain,
    blockHeight: header.height,
    blockTime: header.timestampSeconds,
  }));
}

function imported({ header, transaction: { id: consumingTxId, unsigned } }: PlacedTransaction): SpentUtxo[] {
  if (unsigned.type !== 'Import') return [];
  return unsigned.importedInputs.map(({ txId, outputIndex, assetId, amount }) => ({
    utxoId: utxoId(txId, outputIndex),
    txId,
    outputIndex,
    assetId,
    amount,
    createdOnChainId: unsigned.sourceChain,
    consumingTxId,
    blockHeight: header.height,
    blockTime: header.timestampSeconds,
  }));
}
