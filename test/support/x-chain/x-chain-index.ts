import type { DataSource } from 'typeorm';
import type { AvmTransaction } from '../../../src/avalanche/avm/transaction.js';
import type { AvmGenesis } from '../../../src/avalanche/avm/genesis/genesis.js';
import { JsonRpcClient } from '../../../src/avalanche/rpc/json-rpc-client.js';
import { Database } from '../../../src/platform/database/database.js';
import { ChainFollower } from '../../../src/indexes/engine/following/chain-follower.js';
import { FollowedXChain } from '../../../src/indexes/x-chain/followed-x-chain.js';
import type { ValidatorsOptions } from '../../../src/indexes/engine/sources/validators-source.js';
import { PrimaryStake } from '../../../src/indexes/p-chain/primary-stake.js';
import { XChainNode } from '../../../src/indexes/x-chain/sources/x-chain-node.js';
import { XChainSources } from '../../../src/indexes/x-chain/sources/x-chain-source.js';
import { XChainValidators } from '../../../src/indexes/x-chain/sources/x-chain-validators.js';
import { nameOfNode } from '../../../src/indexes/engine/following/node-pool.js';
import { XChainWriter } from '../../../src/indexes/x-chain/x-chain-writer.js';
import { type GeneratedXBlock, xChainOf } from '../../../sandbox/generated/x-chain-generator.js';
import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.js';
import type { TestIndexer } from '../indexer.js';
import { onCleanup } from '../harness/cleanup.js';

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

/** An indexer of fuji's X-chain as the worker makes it, without Temporal around it. */
export function createXIndexer(
  dataSource: DataSource,
  urls: readonly string[],
  options: {
    batchBlocks?: number;
    timeoutMs?: number;
    /** Of a network, the source where no node can be used. */
    validators?: Pick<ValidatorsOptions, 'peers' | 'config'>;
  } = {},
): TestIndexer {
  const warnings: string[] = [];
  const warn = (text: string): void => void warnings.push(text);
  const database = new Database(dataSource);
  const stake = new PrimaryStake(database);
  const logger = { debug: () => undefined, log: () => undefined, warn };
  const { validators } = options;
  const nodes = new XChainSources(
    clientsOf(urls, options.timeoutMs).map(
      (rpc, i) => new XChainNode(rpc, { concurrency: 8, name: nameOfNode(i) }),
    ),
    validators ? [new XChainValidators({ ...validators, stake: () => stake.of('fuji'), logger })] : [],
  );
  const store = { network: 'fuji' as const, writer: new XChainWriter(database) };
  const chain = new FollowedXChain(store, nodes, options.batchBlocks ?? 100);
  return { indexer: new ChainFollower(chain, nodes, 20, warn), warnings };
}

function clientsOf(urls: readonly string[], timeoutMs = 5_000): JsonRpcClient[] {
  if (urls.length === 0) return [];
  const client = new JsonRpcClient({ urls, timeoutMs });
  onCleanup(() => client.close());
  return client.perNode();
}
