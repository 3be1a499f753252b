import { askForBlockchainId } from '../../avalanche/evm/blocks/blockchain-id.js';
import type { CallOptions, EvmClient } from '../../avalanche/evm/rpc/evm-client.js';
import { fromHex } from '../../avalanche/ids/hex.js';
import { idToString } from '../../avalanche/ids/id.js';
import type { EvmChain } from './evm-chain.js';

export interface ChainProof {
  /** In words which chain a node serves instead of ours; undefined when it may be ours. */
  readonly foreign: string | undefined;
  /** Whether the node could report the blockchain id. Chains without the warp precompile cannot: the EVM chain id has to do. */
  readonly isVerified: boolean;
}

/** The creator of a chain chooses its EVM chain id, but cannot choose its blockchain id. Rejects with RpcError. */
export async function proveChain(
  client: Pick<EvmClient, 'chainId' | 'tryContracts'>,
  chain: Pick<EvmChain, 'chainId' | 'blockchainId'>,
  options: CallOptions,
): Promise<ChainProof> {
  const chainId = await client.chainId(options);
  if (chainId !== chain.chainId) {
    return { foreign: `EVM chain ${chainId}, not ${chain.chainId}`, isVerified: true };
  }
  const id = await askForBlockchainId(client, options);
  if (id === undefined) return { foreign: undefined, isVerified: false };
  const blockchainId = idToString(fromHex(id));
  const isOurs = blockchainId === chain.blockchainId;
  return {
    foreign: isOurs ? undefined : `blockchain ${blockchainId}, not ${chain.blockchainId}`,
    isVerified: true,
  };
}
