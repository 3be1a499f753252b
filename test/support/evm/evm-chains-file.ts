import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestFolder } from '../harness/services.js';

export interface TestEvmChain {
  network?: string;
  chainId: bigint;
  rpcUrls: readonly string[];
  startHeight?: bigint | 'tip';
  blockchainId?: string;
  index?: 'full' | 'logs';
  messengers?: readonly string[];
}

/** A configuration file for `EVM_CHAINS_FILE`. */
export function writeEvmChainsFile(chains: readonly TestEvmChain[]): string {
  const file = join(createTestFolder('evm-chains'), 'evm-chains.json');
  const entries = chains.map(({ network = 'fuji', chainId, startHeight = 0n, ...rest }) => ({
    network,
    chainId: chainId.toString(),
    blockchainId: '2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC',
    name: `chain ${chainId}`,
    startHeight: startHeight.toString(),
    nativeSymbol: 'AVAX',
    nativeDecimals: 18,
    ...rest,
  }));
  writeFileSync(file, JSON.stringify({ chains: entries }));
  return file;
}
