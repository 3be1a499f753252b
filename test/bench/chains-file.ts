import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** For `EVM_CHAINS_FILE`: one chain, which nobody indexes from its beginning. @returns its path */
export function writeChainsFile(
  folder: string,
  { network, chainId }: { readonly network: string; readonly chainId: bigint },
  { rpcUrl, blockchainId }: { readonly rpcUrl: string; readonly blockchainId: string },
): string {
  const file = join(folder, 'evm-chains.json');
  const chain = {
    network,
    chainId: chainId.toString(),
    blockchainId,
    name: `chain ${chainId}`,
    rpcUrls: [rpcUrl],
    startHeight: 'tip',
    nativeSymbol: 'AVAX',
    nativeDecimals: 18,
  };
  writeFileSync(file, JSON.stringify({ chains: [chain] }));
  return file;
}
