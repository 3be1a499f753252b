import type { PrivateKeyAccount } from 'viem/accounts';
import type { Address, Hex } from '../../../src/avalanche/evm/rpc/hex-values.js';
import { PRIMARY_NETWORK, type Id } from '../../../src/avalanche/platformvm/ids.js';
import { JsonRpcClient } from '../../../src/avalanche/rpc/json-rpc-client.js';
import { packPredicate } from '../../../src/avalanche/warp/predicate.js';
import { WARP_PRECOMPILE_ADDRESS } from '../../../src/avalanche/warp/send-warp-log.js';
import { makeAccounts } from '../c-chain/accounts.js';
import { EvmNode } from '../c-chain/evm-node.js';
import { EvmWallet, type Receipt } from '../c-chain/evm-wallet.js';
import { LOCAL_CHAIN_ID } from '../c-chain/scenario.js';
import { toText } from '../scenario/wallet.js';
import type { ReceivingChain } from './receiving-chain.js';
import { RPC_TIMEOUT_MS } from '../local-network.js';

/** Enough for verifying some signatures and a small call. */
const DELIVERY_GAS = 2_000_000n;

/** In wei, above the least base fee of the L1's genesis. */
const MAX_BASE_FEE = 100_000_000_000n;

/** A chain with contracts, and who pays there. */
export interface EvmChain extends ReceivingChain {
  readonly chainId: number;
  readonly node: EvmNode;
  readonly wallet: EvmWallet;
  /** Has all the money at first. */
  readonly funded: PrivateKeyAccount;
}

export function connectCChain(nodeUrl: string, blockchainId: Id): EvmChain {
  return connectEvmChain({
    nodeUrl,
    blockchainId,
    name: 'the C-chain',
    chainId: LOCAL_CHAIN_ID,
    subnetId: PRIMARY_NETWORK,
  });
}

export function connectEvmChain(chain: {
  nodeUrl: string;
  name: string;
  chainId: number;
  blockchainId: Id;
  subnetId: Id;
}): EvmChain {
  const { nodeUrl, name, chainId, blockchainId, subnetId } = chain;
  const node = new EvmNode(nodeUrl, toText(blockchainId));
  const wallet = new EvmWallet(node, chainId, MAX_BASE_FEE);
  const { funded } = makeAccounts();
  return {
    name,
    chainId,
    blockchainId,
    subnetId,
    node,
    wallet,
    funded,
    rpc: new JsonRpcClient({ urls: [nodeUrl], timeoutMs: RPC_TIMEOUT_MS }),
    makeBlock: () => wallet.run({ from: funded, to: funded.address, value: 1n }),
  };
}

/** Calls a contract with a signed message in the transaction's access list, where it has the index 0. */
export function callWithMessage(
  { wallet, funded }: EvmChain,
  call: { to: Address; data: Hex; signedMessage: Uint8Array },
): Promise<Receipt> {
  const { to, data, signedMessage } = call;
  return wallet.run({
    from: funded,
    to,
    data,
    gas: DELIVERY_GAS,
    accessList: [{ address: WARP_PRECOMPILE_ADDRESS, storageKeys: packPredicate(signedMessage) }],
  });
}
