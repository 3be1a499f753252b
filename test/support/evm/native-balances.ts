import {
  type AtomicTransfer,
  WEI_PER_NANO_AVAX,
} from '../../../src/avalanche/evm/blocks/atomic-transactions.js';
import { type Address, ZERO_ADDRESS } from '../../../src/avalanche/evm/rpc/hex-values.js';
import type { Movement } from '../../../src/avalanche/evm/transfers/transfers.js';
import type { Id } from '../../../src/avalanche/platformvm/ids.js';

/** Balances in wei that follow from what moved, from nothing on. */
export class NativeBalances {
  readonly sums: Map<Address, bigint>;

  /** Of these addresses, and of all that something moves to or from. */
  constructor(addresses: readonly Address[]) {
    this.sums = new Map(addresses.map((address) => [address, 0n]));
  }

  addMovements(movements: readonly Movement[]): void {
    for (const movement of movements.filter(isNative)) {
      const { kind, from, to, amount } = movement;
      // Minted coins come from nobody, and coins that a chain's rules take away go to nobody.
      const [hasPayer, hasPayee] =
        kind === 'MINT' ? [from !== ZERO_ADDRESS, from === ZERO_ADDRESS] : [true, true];
      if (hasPayer) this.add(from, -amount);
      if (hasPayee) this.add(to, amount);
    }
  }

  addAtomicTransfers(
    transfers: readonly Pick<AtomicTransfer, 'kind' | 'address' | 'assetId' | 'amount'>[],
    avaxAssetId: Id,
  ): void {
    for (const { kind, address, assetId, amount } of transfers) {
      if (assetId !== avaxAssetId) continue;
      this.add(address, (kind === 'IMPORT' ? amount : -amount) * WEI_PER_NANO_AVAX);
    }
  }

  private add(address: Address, amount: bigint): void {
    this.sums.set(address, (this.sums.get(address) ?? 0n) + amount);
  }
}

function isNative({ kind }: Movement): boolean {
  switch (kind) {
    case 'NATIVE':
    case 'INTERNAL':
    case 'MINT':
    case 'FEE':
      return true;
    case 'ERC20':
    case 'ERC721':
    case 'ERC1155':
      return false;
  }
}
