import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { idToString } from '../../../src/avalanche/ids/id.js';
import { createTestFolder } from '../harness/services.js';
import { TEST_CHAIN } from './test-chain.js';

export interface TestEvmChain {
  network?: string;
  chainId: bigint;
  rpcUrls: readonly string[];
  startHeight?: bigint | 'tip';
  /** That of the test chain for the first one, else a made-up one. */
  blockchainId?: string;
  index?: 'full' | 'logs';
  messengers?: readonly string[];
}

/** A configuration file for `EVM_CHAINS_FILE`. */
export function writeEvmChainsFile(chains: readonly TestEvmChain[]): string {
  const file = join(createTestFolder('evm-chains'), 'evm-chains.json');
  const entries = chains.map(({ network = 'fuji', chainId, startHeight = 0n, ...rest }, i) => ({
    network,
    chainId: chainId.toString(),
    blockchainId: i === 0 ? TEST_CHAIN.blockchainId : idToString(Buffer.alloc(32, i)),
    name: `chain ${chainId}`,
    startHeight: startHeight.toString(),
    nativeSymbol: 'AVAX',
    nativeDecimals: 18,
    ...rest,
  }));
  writeFileSync(file, JSON.stringify({ chains: entries }));
  return file;
}
