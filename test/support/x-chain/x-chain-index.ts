import type { DataSource } from 'typeorm';
import type { AvmTransaction } from '../../../src/avalanche/avm/transaction.js';
import type { AvmGenesis } from '../../../src/avalanche/avm/genesis/genesis.js';
import { JsonRpcClient } from '../../../src/avalanche/rpc/json-rpc-client.js';
import { Database } from '../../../src/platform/database/database.js';
import { XChainNode } from '../../../src/indexes/x-chain/sources/x-chain-node.js';
import { nameOfNode } from '../../../src/indexes/engine/following/node-pool.js';
import { type GeneratedXBlock, xChainOf } from '../../../sandbox/generated/x-chain-generator.js';
import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.js';
import type { TestIndexer } from '../indexer.js';
import { onCleanup } from '../harness/cleanup.js';
import { timeoutOf } from '../node-patience.js';
import { type FollowedXChainOptions, followXChain } from './followed-x-chain.js';

/** A sandbox of these blocks, and of what was before blocks for those that index it. Stopped afterwards. */
export async function startXChain(
  genesis: AvmGenesis,
  blocks: readonly Pick<GeneratedXBlock, 'bytes'>[],
  before?: readonly AvmTransaction[],
): Promise<Sandbox> {
  const sandbox = await startSandbox({
    validators: 1,
    networkId: genesis.identity.networkId,
    recording: null,
    blockIntervalMs: 0,
    xChainRecording: xChainOf(genesis, blocks, before),
  });
  onCleanup(() => sandbox.stop());
  return sandbox;
}

/** An indexer of fuji's X-chain, without Temporal around it. */
export function createXIndexer(
  dataSource: DataSource,
  urls: readonly string[],
  options: FollowedXChainOptions & { timeoutMs?: number | readonly number[] } = {},
): TestIndexer {
  const warnings: string[] = [];
  const nodes = clientsOf(urls, options.timeoutMs).map(
    (rpc, i) => new XChainNode(rpc, { concurrency: 8, name: nameOfNode(i) }),
  );
  const warn = (text: string): void => void warnings.push(text);
  return { indexer: followXChain(new Database(dataSource), nodes, warn, options), warnings };
}

function clientsOf(urls: readonly string[], timeoutMs?: number | readonly number[]): JsonRpcClient[] {
  return urls.map((url, i) => {
    const client = new JsonRpcClient({ urls: [url], timeoutMs: timeoutOf(timeoutMs, i) });
    onCleanup(() => client.close());
    return client;
  });
}
