import { type AtomicTransfer, readAtomicTransfers } from '../../avalanche/evm/blocks/atomic-transactions.js';
import { type EvmBlock, TRANSFER_GAS } from '../../avalanche/evm/blocks/block.js';
import type { Address } from '../../avalanche/evm/rpc/hex-values.js';
import type { BlockWithMovements } from '../../avalanche/evm/transfers/movement-reader.js';
import type { Movement } from '../../avalanche/evm/transfers/transfers.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import type { ExplainedBlock } from '../search/explained-blocks.js';
import { movementOf } from './atomic-movement.js';
import { directionOf, type ExportRow, formatCsvRow, type RowMovement } from './csv.js';
import type { TokenLabel } from './token-labels.js';

/** The tokens of a movement are what `contract` names; for native ones it is a contract that was created. */
function tokenOf({ kind, contract }: Movement): Address | null {
  return kind === 'ERC20' || kind === 'ERC721' || kind === 'ERC1155' ? contract : null;
}

/** Tokens that the exported rows of these blocks name. */
export function tokensIn(
  blocks: readonly BlockWithMovements[],
  addresses: ReadonlySet<Address>,
): ReadonlySet<Address> {
  const tokens = new Set<Address>();
  for (const { movements } of blocks) {
    for (const movement of movements) {
      const token = tokenOf(movement);
      if (token !== null && directionOf(movement, addresses) !== undefined) tokens.add(token);
    }
  }
  return tokens;
}

/**
 * A block's rows of an export, as {@link movementQuery} gives them for a block that is indexed. Internal amounts that no trace explains are
 * rows of their own: behind the transactions, or among those of the only one that can have moved them.
 */
export function formatBlock(
  { block, movements, remainders }: ExplainedBlock,
  context: RowContext,
): { text: string; rows: number } {
  const moved = movements.flatMap((movement) => rowOf(movement, block, context));
  const internal = remainders.flatMap((remainder) => rowOfRemainder(remainder, block, context));
  const rows = [
    ...internal.reduce(withInternal, moved),
    ...readAtomicTransfers(block).flatMap((transfer) => rowOfAtomic(transfer, context)),
  ];
  const { chain } = context;
  const { height, timestampSeconds } = block;
  const place = { chainId: chain.chainId, chainName: chain.name, height, timestampSeconds };
  return { text: rows.map((row) => formatCsvRow({ ...place, ...row })).join(''), rows: rows.length };
}

/** Values that differ from row to row of a block. */
type OwnCells = Omit<ExportRow, 'chainId' | 'chainName' | 'height' | 'timestampSeconds'>;

/** None when it is none of ours. */
function rowOf(
  movement: Movement,
  { transactions }: EvmBlock,
  { chain, addresses, labels }: RowContext,
): OwnCells[] {
  const direction = directionOf(movement, addresses);
  if (direction === undefined) return [];
  const transaction = transactions[movement.txIndex];
  const token = tokenOf(movement);
  const label = token === null ? nativeLabel(chain) : (labels.get(token) ?? UNKNOWN);
  return [
    {
      // Rows of the block itself belong to none of its transactions.
      movement: { ...movement, txIndex: movement.txIndex < 0 ? null : movement.txIndex },
      direction,
      // Of a failed transaction nothing stays but the fee.
      isSuccess: movement.kind !== 'FEE' || transaction?.isSuccess === true,
      methodId: transaction?.methodId ?? null,
      ...label,
    },
  ];
}

function rowOfRemainder(
  { address, balance }: ExplainedBlock['remainders'][number],
  { transactions }: EvmBlock,
  { chain }: RowContext,
): OwnCells[] {
  if (balance === 0n) return [];
  const [only, ...others] = transactions.filter(
    ({ isSuccess, gasLimit }) => isSuccess && gasLimit > TRANSFER_GAS,
  );
  const transaction = others.length === 0 ? only : undefined;
  const isIn = balance > 0n;
  const movement: RowMovement = {
    kind: 'INTERNAL',
    txHash: transaction?.hash ?? null,
    txIndex: transaction?.index ?? null,
    from: isIn ? null : address,
    to: isIn ? address : null,
    logIndex: null,
    batchIndex: null,
    tracePath: null,
    contract: null,
    tokenId: null,
    amount: isIn ? balance : -balance,
  };
  const methodId = transaction?.methodId ?? null;
  return [{ movement, direction: isIn ? 'IN' : 'OUT', isSuccess: true, methodId, ...nativeLabel(chain) }];
}

/** Where a traced one would stand: behind what its transaction moves itself; of no certain transaction, behind all of them. */
function withInternal(rows: readonly OwnCells[], internal: OwnCells): readonly OwnCells[] {
  const { txIndex } = internal.movement;
  const next = rows.findIndex(({ movement: { txIndex: other, kind } }) => {
    if (txIndex === null || other === null) return false;
    return other > txIndex || (other === txIndex && kind !== 'NATIVE' && kind !== 'INTERNAL');
  });
  return rows.toSpliced(next < 0 ? rows.length : next, 0, internal);
}

/** None when it is none of ours. */
function rowOfAtomic(transfer: AtomicTransfer, { chain, addresses, avaxAssetId }: RowContext): OwnCells[] {
  if (!addresses.has(transfer.address)) return [];
  const isAvax = transfer.assetId === avaxAssetId;
  const movement = movementOf(transfer, isAvax);
  const direction = transfer.kind === 'IMPORT' ? 'IN' : 'OUT';
  const label = isAvax ? nativeLabel(chain) : UNKNOWN;
  return [{ movement, direction, isSuccess: true, methodId: null, ...label }];
}

function nativeLabel({ nativeSymbol, nativeDecimals }: RowContext['chain']): TokenLabel {
  return { symbol: nativeSymbol, name: null, decimals: nativeDecimals };
}

export interface RowContext {
  readonly chain: Pick<EvmChain, 'chainId' | 'name' | 'nativeSymbol' | 'nativeDecimals'>;
  /** Hex; undefined while unknown. */
  readonly avaxAssetId: string | undefined;
  readonly addresses: ReadonlySet<Address>;
  readonly labels: ReadonlyMap<Address, TokenLabel>;
}

const UNKNOWN: TokenLabel = { symbol: null, name: null, decimals: null };
