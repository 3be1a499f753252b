import type { DataSource } from 'typeorm';
import { Database } from '../../../src/platform/database/database.js';
import { ChainFollower } from '../../../src/indexes/engine/following/chain-follower.js';
import { FollowedPChain } from '../../../src/indexes/p-chain/followed-p-chain.js';
import { PChainStateRepository } from '../../../src/indexes/p-chain/p-chain-state.repository.js';
import { PChainWriter } from '../../../src/indexes/p-chain/p-chain-writer.js';
import { PrimaryStake } from '../../../src/indexes/p-chain/primary-stake.js';
import { nameOfNode } from '../../../src/indexes/engine/following/node-pool.js';
import { PChainNode } from '../../../src/indexes/p-chain/sources/p-chain-node.js';
import { type PChainSource, PChainSources } from '../../../src/indexes/p-chain/sources/p-chain-source.js';
import { PChainValidators } from '../../../src/indexes/p-chain/sources/p-chain-validators.js';
import type { ValidatorsOptions } from '../../../src/indexes/engine/sources/validators-source.js';
import { type GeneratedBlock, pChainOf } from '../../../sandbox/generated/p-chain-generator.js';
import {
  type NodeBehaviourInput,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from '../../../sandbox/sandbox.js';
import { onCleanup } from '../harness/cleanup.js';
import type { UpgradeTimes } from '../../../src/avalanche/platformvm/state/upgrade-times.js';
import { clientsOf, type TestIndexer } from '../indexer.js';

/** A sandbox of these blocks, without the index API that few nodes have. Stopped afterwards. */
export async function startPChain(
  blocks: readonly Pick<GeneratedBlock, 'bytes'>[],
  options: SandboxOptions & { upgrades?: Readonly<Record<string, string>> } = {},
): Promise<Sandbox> {
  const { upgrades, ...rest } = options;
  const sandbox = await startSandbox({
    validators: 1,
    recording: await pChainOf(blocks, upgrades),
    evmRecordings: [],
    xChainRecording: null,
    node: WITHOUT_INDEX_API,
    ...rest,
  });
  onCleanup(() => sandbox.stop());
  return sandbox;
}

export const WITHOUT_INDEX_API: NodeBehaviourInput = { without: ['index'] };

/** An indexer of fuji as the worker makes it, without Temporal around it. */
export function createIndexer(
  dataSource: DataSource,
  urls: readonly string[],
  options: {
    batchBlocks?: number;
    concurrency?: number;
    /** Of all nodes, or of each. */
    timeoutMs?: number | readonly number[];
    /** Of a network, the source where no node can be used; `upgrades` are those of a network that has none built in. */
    validators?: Pick<ValidatorsOptions, 'peers' | 'config'> & { upgrades?: UpgradeTimes };
  } = {},
): TestIndexer {
  const warnings: string[] = [];
  const warn = (text: string): void => void warnings.push(text);
  const perNode = clientsOf(urls, options.timeoutMs).map((rpc, i) => {
    const nodeOptions = { concurrency: options.concurrency ?? 8, name: nameOfNode(i) };
    return new PChainNode(rpc, nodeOptions, warn);
  });
  const { validators } = options;
  const logger = { debug: () => undefined, log: () => undefined, warn };
  const reserve: PChainSource[] = [];
  if (validators !== undefined) {
    const stake = new PrimaryStake(new Database(dataSource));
    const source = new PChainValidators({ ...validators, stake: () => stake.of('fuji'), logger });
    const { upgrades } = validators;
    if (upgrades !== undefined) source.upgrades = async () => upgrades;
    reserve.push(source);
  }
  const nodes = new PChainSources(perNode, reserve);
  const repository = new PChainStateRepository(new Database(dataSource));
  const store = { network: 'fuji' as const, repository, writer: new PChainWriter(new Database(dataSource)) };
  const chain = new FollowedPChain(store, nodes, options.batchBlocks ?? 100);
  return { indexer: new ChainFollower(chain, nodes, 20, warn), warnings };
}
