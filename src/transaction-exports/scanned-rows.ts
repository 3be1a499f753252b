import type { Address } from '../avalanche/evm/hex-values.js';
import type { BlockWithMovements } from '../avalanche/evm/movement-reader.js';
import type { Movement } from '../avalanche/evm/transfers.js';
import type { EvmChain } from '../evm-chains/evm-chain.js';
import { directionOf, formatCsvRow } from './csv.js';
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
  { chain, addresses, labels }: RowContext,
): { text: string; rows: number } {
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
  return { text: lines.join(''), rows: lines.length };
}

export interface RowContext {
  readonly chain: Pick<EvmChain, 'chainId' | 'name' | 'nativeSymbol' | 'nativeDecimals'>;
  readonly addresses: ReadonlySet<Address>;
  readonly labels: ReadonlyMap<Address, TokenLabel>;
}

const UNKNOWN: TokenLabel = { symbol: null, name: null, decimals: null };
