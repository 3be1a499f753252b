import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { InfoClient } from '../../src/avalanche/rpc/info-client.js';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import { EvmNode } from './c-chain/evm-node.js';
import type { L1 } from './l1/start-l1.js';
import type { LocalNetwork } from './local-network.js';
import { toText } from './scenario/wallet.js';
import { RPC_TIMEOUT_MS } from './local-network.js';

/** Variables with which the service works over a local network in Fuji's place. */
export type ServiceEnvironment = Readonly<Record<'FUJI_NODE_URL' | 'EVM_CHAINS_FILE' | 'DATA_DIR', string>>;

/**
 * Settings of the service besides the node's URL go to the network's folder: its EVM chains are none of those in `config/evm-chains.json`,
 * and an index of another network, e.g. the sandbox's, could not continue.
 */
export async function makeServiceEnvironment(
  { url }: Pick<LocalNetwork, 'url'>,
  dataDir: string,
  l1?: L1,
): Promise<ServiceEnvironment> {
  const file = join(dataDir, 'evm-chains.json');
  const chains = [await describeCChain(url), ...(l1 === undefined ? [] : [describeL1Chain(l1)])];
  writeFileSync(file, `${JSON.stringify({ chains }, undefined, 2)}\n`);
  return { FUJI_NODE_URL: url, EVM_CHAINS_FILE: file, DATA_DIR: join(dataDir, 'service') };
}

/** As the shell wants it. */
export function formatEnvironment(environment: ServiceEnvironment): string {
  return Object.entries(environment)
    .map(([name, value]) => `${name}=${/^[\w./:@-]+$/.test(value) ? value : `'${value}'`}`)
    .join(' ');
}

async function describeCChain(url: string): Promise<object> {
  return {
    network: 'fuji',
    chainId: BigInt(await new EvmNode(url).call('eth_chainId', [], z.string())).toString(),
    blockchainId: await readBlockchainId(url),
    name: 'Local C-Chain',
    rpcUrls: ['${NODE_URL}/ext/bc/C/rpc'],
    startHeight: '0',
    nativeSymbol: 'AVAX',
    nativeDecimals: 18,
  };
}

function describeL1Chain({ chain }: L1): object {
  return {
    network: 'fuji',
    chainId: chain.chainId.toString(),
    blockchainId: toText(chain.blockchainId),
    name: 'Local L1',
    rpcUrls: [chain.node.endpoint],
    startHeight: '0',
    nativeSymbol: 'TOKEN',
    nativeDecimals: 18,
  };
}

async function readBlockchainId(url: string): Promise<string> {
  const rpc = new JsonRpcClient({ urls: [url], timeoutMs: RPC_TIMEOUT_MS });
  try {
    return await new InfoClient(rpc).getBlockchainId({ alias: 'C' });
  } finally {
    rpc.close();
  }
}
