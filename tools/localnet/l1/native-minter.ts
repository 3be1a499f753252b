import type { PrivateKeyAccount } from 'viem/accounts';
import { parseAbi } from 'viem/utils';
import type { Address } from '../../../src/avalanche/evm/rpc/hex-values.js';
import { NATIVE_MINTER } from '../../../src/avalanche/evm/transfers/transfers.js';
import type { Receipt } from '../c-chain/evm-wallet.js';
import { callsOf } from '../contracts/calls.js';
import type { EvmChain } from './evm-chain.js';

const CALLS = callsOf(parseAbi(['function mintNativeCoin(address addr, uint256 amount)']));

/** Fails for everybody but the funded account, whom the L1's genesis allows it. */
export function mintNativeCoin(
  { wallet, funded }: EvmChain,
  mint: { readonly to: Address; readonly amount: bigint; readonly from?: PrivateKeyAccount },
): Promise<Receipt> {
  const { to, amount, from = funded } = mint;
  return wallet.run({
    from,
    to: NATIVE_MINTER,
    data: CALLS.mintNativeCoin(to, amount),
    fails: from !== funded,
  });
}
