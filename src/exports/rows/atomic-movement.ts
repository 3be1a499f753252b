import { type AtomicTransfer, WEI_PER_NANO_AVAX } from '../../avalanche/evm/blocks/atomic-transactions.js';
import { EMPTY_ID, idToString } from '../../avalanche/ids/id.js';
import type { OtherChain, RowMovement } from './csv.js';

export const P_CHAIN_ID = Buffer.from(EMPTY_ID).toString('hex');

/** The change of a balance by an import or export, with ids in cb58, as explorers write them. There is no third chain to trade with. */
export function movementOf(
  { kind, txHash, address, assetId, amount, otherChainId }: AtomicTransfer,
  isAvax: boolean,
): RowMovement {
  const other: OtherChain = otherChainId === P_CHAIN_ID ? 'P-chain' : 'X-chain';
  const [from, to] = kind === 'IMPORT' ? [other, address] : [address, other];
  return {
    kind,
    txHash: cb58Of(txHash.slice(2)),
    from,
    to,
    txIndex: null,
    logIndex: null,
    batchIndex: null,
    tracePath: null,
    contract: null,
    tokenId: isAvax ? null : cb58Of(assetId),
    amount: isAvax ? amount * WEI_PER_NANO_AVAX : amount,
  };
}

function cb58Of(hex: string): string {
  return idToString(Buffer.from(hex, 'hex'));
}
