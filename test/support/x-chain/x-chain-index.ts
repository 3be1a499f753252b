import type { DataSource } from 'typeorm';
import type { AvmGenesis } from '../../../src/avalanche/avm/genesis/genesis.js';
import { JsonRpcClient } from '../../../src/avalanche/rpc/json-rpc-client.js';
import { Database } from '../../../src/platform/database/database.js';
import { ChainFollower } from '../../../src/indexes/engine/following/chain-follower.js';
import { FollowedXChain } from '../../../src/indexes/x-chain/followed-x-chain.js';
import { XChainNode, XChainNodes } from '../../../src/indexes/x-chain/sources/x-chain-node.js';
import { XChainWriter } from '../../../src/indexes/x-chain/x-chain-writer.js';
import { FakeXChainNode } from './fake-x-chain-node.js';
import type { TestIndexer } from '../indexer.js';
import { onCleanup } from '../harness/cleanup.js';
import type { GeneratedXBlock } from './x-chain-generator.js';

/** Stopped afterwards. */
export async function startFakeXNode(
  genesis: AvmGenesis,
  blocks: readonly GeneratedXBlock[],
): Promise<FakeXChainNode> {
  const node = await FakeXChainNode.start(genesis, blocks);
  onCleanup(() => node.stop());
  return node;
}

/** An indexer of fuji's X-chain as the worker makes it, without Temporal around it. */
export function createXIndexer(
  dataSource: DataSource,
  urls: readonly string[],
  options: { batchBlocks?: number; timeoutMs?: number } = {},
): TestIndexer {
  const client = new JsonRpcClient({ urls, timeoutMs: options.timeoutMs ?? 5_000 });
  onCleanup(() => client.close());
  const warnings: string[] = [];
  const warn = (text: string): void => void warnings.push(text);
  const nodes = new XChainNodes(client.perNode().map((rpc) => new XChainNode(rpc, { concurrency: 8 })));
  const store = { network: 'fuji' as const, writer: new XChainWriter(new Database(dataSource)) };
  const chain = new FollowedXChain(store, nodes, options.batchBlocks ?? 100);
  return { indexer: new ChainFollower(chain, nodes, 20, warn), warnings };
}
