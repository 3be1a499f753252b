import {
  type AtomicTransfer,
  readAtomicTransfers,
  WEI_PER_NANO_AVAX,
} from '../blocks/atomic-transactions.js';
import type { EvmBlock } from '../blocks/block.js';
import type { Address } from '../rpc/hex-values.js';
import type { Movement } from '../transfers/transfers.js';
import type { BlockWithMovements } from '../transfers/movement-reader.js';
import type { AccountChange } from './account-history.js';

/** Movements of the native asset; with a token's amount nothing happens to a balance. */
const NATIVE_KINDS: ReadonlySet<Movement['kind']> = new Set(['NATIVE', 'INTERNAL', 'FEE', 'MINT']);

/** The part of an account's change that the block does not record; zero for a block that explains it wholly. */
export interface Remainder {
  /** Positive: received from nobody that the block names, as from a contract during a call. */
  readonly balance: bigint;
  readonly nonce: bigint;
}

/** `avaxAssetId`: hex, of the asset in which a C-chain's imports and exports change its balances. */
export function remainderOf(
  address: Address,
  { before, after }: AccountChange,
  { block, movements }: BlockWithMovements,
  avaxAssetId: string | undefined,
): Remainder {
  const native = movements.reduce((sum, movement) => sum + changeBy(movement, address), 0n);
  const moved = readAtomicTransfers(block).reduce(
    (sum, transfer) => sum + changeByAtomic(transfer, address, avaxAssetId),
    native,
  );
  return {
    balance: after.balance - before.balance - moved,
    nonce: after.nonce - before.nonce - signaturesOf(address, block),
  };
}

function changeBy({ kind, from, to, amount }: Movement, address: Address): bigint {
  if (!NATIVE_KINDS.has(kind)) return 0n;
  return (to === address ? amount : 0n) - (from === address ? amount : 0n);
}

function changeByAtomic(
  { kind, address, assetId, amount }: AtomicTransfer,
  account: Address,
  avaxAssetId: string | undefined,
): bigint {
  if (address !== account || assetId !== avaxAssetId) return 0n;
  return (kind === 'IMPORT' ? amount : -amount) * WEI_PER_NANO_AVAX;
}

/** Each transaction of its own, also a failed one, and each atomic export, however many inputs of it are the account's. */
export function signaturesOf(address: Address, block: EvmBlock): bigint {
  const own = block.transactions.filter(({ from }) => from === address);
  const exports = new Set(
    readAtomicTransfers(block)
      .filter(({ kind, address: of }) => kind === 'EXPORT' && of === address)
      .map(({ txHash }) => txHash),
  );
  return BigInt(own.length + exports.size);
}
