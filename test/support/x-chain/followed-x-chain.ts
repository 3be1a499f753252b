import type { ValidatorsOptions } from '../../../src/indexes/engine/sources/validators-source.js';
import { ChainFollower } from '../../../src/indexes/engine/following/chain-follower.js';
import type { Indexer } from '../../../src/indexes/engine/following/indexer.js';
import { PrimaryStake } from '../../../src/indexes/p-chain/primary-stake.js';
import { FollowedXChain } from '../../../src/indexes/x-chain/followed-x-chain.js';
import type { Linearization } from '../../../src/indexes/x-chain/history/linearization.js';
import { VertexHistory } from '../../../src/indexes/x-chain/history/vertex-history.js';
import { VertexRepository } from '../../../src/indexes/x-chain/history/vertex.repository.js';
import { XChainHistory } from '../../../src/indexes/x-chain/history/x-chain-history.js';
import type { XChainNode } from '../../../src/indexes/x-chain/sources/x-chain-node.js';
import { XChainSources } from '../../../src/indexes/x-chain/sources/x-chain-source.js';
import { XChainValidators } from '../../../src/indexes/x-chain/sources/x-chain-validators.js';
import { XChainWriter } from '../../../src/indexes/x-chain/x-chain-writer.js';
import type { Database } from '../../../src/platform/database/database.js';

export interface FollowedXChainOptions {
  readonly batchBlocks?: number | undefined;
  /** Of a network, the source where no node can be used. */
  readonly validators?: Pick<ValidatorsOptions, 'peers' | 'config'>;
  /** Where a network had vertices that really had none. */
  readonly linearization?: Linearization;
}

/** The follower of fuji's X-chain, as the worker makes it. */
export function followXChain(
  database: Database,
  nodes: readonly XChainNode[],
  warn: (text: string) => void,
  { batchBlocks = 100, validators, linearization }: FollowedXChainOptions = {},
): Indexer {
  const stake = new PrimaryStake(database);
  const { peers, config } = validators ?? { peers: () => undefined, config: { sandbox: true, peers: [] } };
  const reserve = new XChainValidators({
    peers,
    config,
    stake: () => stake.of('fuji'),
    logger: { debug: () => undefined, log: () => undefined, warn },
  });
  const sources = new XChainSources(nodes, validators === undefined ? [] : [reserve]);
  const vertices = new VertexHistory('fuji', new VertexRepository(database), reserve);
  const history = new XChainHistory(nodes, vertices, linearization && (() => linearization));
  const store = { network: 'fuji' as const, writer: new XChainWriter(database) };
  return new ChainFollower(new FollowedXChain(store, sources, history, batchBlocks), sources, 20, warn);
}
