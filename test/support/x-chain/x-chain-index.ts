import type { DataSource } from 'typeorm';
import type { AvmTransaction } from '../../../src/avalanche/avm/transaction.js';
import type { AvmGenesis } from '../../../src/avalanche/avm/genesis/genesis.js';
import { Database } from '../../../src/platform/database/database.js';
import { XChainNode } from '../../../src/indexes/x-chain/sources/x-chain-node.js';
import { nameOfNode } from '../../../src/indexes/engine/following/node-pool.js';
import { type GeneratedXBlock, xChainOf } from '../../../sandbox/generated/x-chain-generator.js';
import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.js';
import { clientsOf, type TestIndexer } from '../indexer.js';
import { onCleanup } from '../harness/cleanup.js';
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
