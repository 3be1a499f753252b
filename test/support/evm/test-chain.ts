import { type EvmChain, MESSENGER } from '../../../src/platform/evm-chains/evm-chain.js';

export const TEST_CHAIN_ID = 43112n;

export const TEST_CHAIN: EvmChain = {
  network: 'fuji',
  chainId: TEST_CHAIN_ID,
  blockchainId: '2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC',
  name: 'Test chain',
  rpcUrls: [],
  startHeight: 0n,
  nativeSymbol: 'AVAX',
  nativeDecimals: 18,
  traces: 'auto',
  index: 'full',
  watch: ['messages', 'tokens'],
  messengers: [MESSENGER],
};
