import {
  type AtomicTransfer,
  readAtomicTransfers,
  WEI_PER_NANO_AVAX,
} from '../avalanche/evm/atomic-transactions.js';
import type { EvmHeader } from '../avalanche/evm/block.js';
import { type Address, ZERO_ADDRESS } from '../avalanche/evm/hex-values.js';
import type { BlockWithMovements } from '../avalanche/evm/movement-reader.js';
import type { Movement } from '../avalanche/evm/transfers.js';
import type { EvmChain } from '../evm-chains/evm-chain.js';
import { directionOf, formatCsvRow, type RowMovement } from './csv.js';
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

/** A block's rows of an export, as {@link movementQuery} gives them for a block that is indexed. */
export function formatBlock(
  { block, movements }: BlockWithMovements,
  context: RowContext,
): { text: string; rows: number } {
  const { chain, addresses, labels } = context;
  const lines: string[] = [];
  for (const movement of movements) {
    const direction = directionOf(movement, addresses);
    if (direction === undefined) continue;
    const transaction = block.transactions[movement.txIndex];
    const token = tokenOf(movement);
    const label =
      token === null
        ? { symbol: chain.nativeSymbol, name: null, decimals: chain.nativeDecimals }
        : (labels.get(token) ?? UNKNOWN);
    const line = formatCsvRow({
      chainId: chain.chainId,
      chainName: chain.name,
      height: block.height,
      timestampSeconds: block.timestampSeconds,
      // What belongs to the block is at none of its transactions.
      movement: { ...movement, txIndex: movement.txIndex < 0 ? null : movement.txIndex },
      direction,
      // Of a failed transaction nothing stays but the fee.
      isSuccess: movement.kind !== 'FEE' || transaction?.isSuccess === true,
      methodId: transaction?.methodId ?? null,
      ...label,
    });
    lines.push(line);
  }
  for (const transfer of readAtomicTransfers(block)) {
    const line = formatAtomicTransfer(transfer, block, context);
    if (line !== undefined) lines.push(line);
  }
  return { text: lines.join(''), rows: lines.length };
}

/** What an import or export changed of a balance; undefined when it is none of ours. */
function formatAtomicTransfer(
  { kind, txHash, address, assetId, amount }: AtomicTransfer,
  { height, timestampSeconds }: EvmHeader,
  { chain, addresses, avaxAssetId }: RowContext,
): string | undefined {
  const [from, to] = kind === 'IMPORT' ? [ZERO_ADDRESS, address] : [address, ZERO_ADDRESS];
  const direction = directionOf({ from, to }, addresses);
  if (direction === undefined || !addresses.has(address)) return undefined;
  const isAvax = assetId === avaxAssetId;
  const movement: RowMovement = {
    ...{ kind, txHash, from, to },
    ...{ txIndex: null, logIndex: null, batchIndex: null, tracePath: null, contract: null },
    tokenId: isAvax ? null : `0x${assetId}`,
    amount: isAvax ? amount * WEI_PER_NANO_AVAX : amount,
  };
  return formatCsvRow({
    chainId: chain.chainId,
    chainName: chain.name,
    height,
    timestampSeconds,
    movement,
    direction,
    isSuccess: true,
    methodId: null,
    symbol: isAvax ? chain.nativeSymbol : null,
    name: null,
    decimals: isAvax ? chain.nativeDecimals : null,
  });
}

export interface RowContext {
  readonly chain: Pick<EvmChain, 'chainId' | 'name' | 'nativeSymbol' | 'nativeDecimals'>;
  /** Hex; undefined while nobody knows it. */
  readonly avaxAssetId: string | undefined;
  readonly addresses: ReadonlySet<Address>;
  readonly labels: ReadonlyMap<Address, TokenLabel>;
}

const UNKNOWN: TokenLabel = { symbol: null, name: null, decimals: null };
