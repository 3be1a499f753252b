import { EMPTY_ID, idToString } from '../../src/avalanche/ids/id.js';
import { makeEvmChainEndpoint } from '../evm-chains/evm-chain-endpoint.js';
import type { Nodes } from '../world/make-nodes.js';
import type { World } from '../world/world.js';
import { makeAvaxService } from './avax-service.js';
import { makeAvmService } from './avm-service.js';
import type { RpcEndpoint } from './endpoint.js';
import { makeEvmEndpoint } from './evm-endpoint.js';
import {
  type Containers,
  containersOf,
  containersOfTransactions,
  makeIndexService,
} from './index-service.js';
import { makeInfoService } from './info-service.js';
import { makeEndpoint, type RpcService } from './json-rpc-endpoint.js';
import { makePlatformService } from './platform-service.js';
import { makeProposerVmService } from './proposervm-service.js';
import { ValidatorListings } from './validator-listings.js';

/** Of the L1 that has validators and no blocks: it takes its own validators' word for messages of the C-chain. */
const L1_CHAIN_CONFIG = { chainId: 99_999, warpConfig: { blockTimestamp: 0, quorumNumerator: 67 } };

/** The JSON-RPC endpoints of the simulated node by path. */
export function makeEndpoints(nodes: Nodes): ReadonlyMap<string, RpcEndpoint> {
  const services = [...makeServices(nodes)].map(([path, service]) => [path, makeEndpoint(service)] as const);
  return new Map([...services, ...makeEvmChainEndpoints(nodes)]);
}

/** By id, the C-chain by its alias too. */
function makeEvmChainEndpoints({ world, evmChains }: Nodes): [string, RpcEndpoint][] {
  const cChainId = idToString(world.cChainId);
  const rulesOnly = makeEvmEndpoint({
    answerOrNot: () => undefined,
    findMethod: (name) => (name === 'eth_getChainConfig' ? () => L1_CHAIN_CONFIG : undefined),
  });
  const l1Path = `/ext/bc/${idToString(world.l1.blockchainId)}/rpc`;
  const recorded = [...evmChains].flatMap(([id, chain]) => {
    const endpoint = makeEvmChainEndpoint(chain);
    const names = id === cChainId ? ['C', id] : [id];
    return names.map((name): [string, RpcEndpoint] => [`/ext/bc/${name}/rpc`, endpoint]);
  });
  return [[l1Path, rulesOnly], ...recorded];
}

function makeServices(nodes: Nodes): ReadonlyMap<string, RpcService> {
  const { world, pChain, signers, transactions, apiIdentity, apiNode, validators } = nodes;
  const byNodeId = new Map(validators.map((validator) => [validator.nodeId, validator]));
  const listings = new ValidatorListings({ world, signers, nodes: byNodeId });
  const info = makeInfoService({
    world,
    identity: apiIdentity,
    node: apiNode,
    validators,
    recorded: pChain?.recorded ?? null,
  });
  const platform = makePlatformService({ world, pChain, transactions, listings });
  const avm = makeAvmService(world, transactions, nodes.xChain);
  const avax = makeAvaxService(world, pChain?.recorded ?? null, nodes.xChain);
  const proposerVm = makeProposerVmService(world);
  return new Map([
    ...makeIndexServices(nodes),
    ['/ext/info', info],
    ['/ext/bc/P', platform],
    ['/ext/P', platform],
    [`/ext/bc/${idToString(EMPTY_ID)}`, platform],
    ...chainsWithEpochs(world).map((chain) => [`/ext/bc/${chain}/proposervm`, proposerVm] as const),
    ...['X', idToString(world.xChainId)].map((chain) => [`/ext/bc/${chain}`, avm] as const),
    ...['C', idToString(world.cChainId)].map((chain) => [`/ext/bc/${chain}/avax`, avax] as const),
  ]);
}

function makeIndexServices({ pChain, xChain }: Nodes): [string, RpcService][] {
  const before = xChain?.recorded.recording.transactionsBefore ?? null;
  return [
    ...(pChain === null ? [] : [pathAndService('P/block', containersOf(pChain))]),
    ...(before === null ? [] : [pathAndService('X/tx', containersOfTransactions(before))]),
  ];
}

function pathAndService(name: string, containers: Containers): [string, RpcService] {
  return [`/ext/index/${name}`, makeIndexService(containers)];
}

/** By alias and by id. The X-chain has no such path on real nodes either. */
function chainsWithEpochs({ cChainId, l1 }: World): string[] {
  return ['P', 'C', ...[EMPTY_ID, cChainId, l1.blockchainId].map(idToString)];
}
