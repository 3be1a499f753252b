import { EMPTY_ID, idToString } from '../../avalanche/ids/id.js';
import { makeCChainEndpoint } from '../c-chain/c-chain-endpoint.js';
import type { Nodes } from '../world/make-nodes.js';
import type { RpcEndpoint } from './endpoint.js';
import { makeIndexService } from './index-service.js';
import { makeInfoService } from './info-service.js';
import { makeEndpoint, type RpcService } from './json-rpc-endpoint.js';
import { makePlatformService } from './platform-service.js';
import { makeProposerVmService } from './proposervm-service.js';
import { ValidatorListings } from './validator-listings.js';

/** The JSON-RPC endpoints of the simulated node by path. */
export function makeEndpoints(nodes: Nodes): ReadonlyMap<string, RpcEndpoint> {
  const services = [...makeServices(nodes)].map(([path, service]) => [path, makeEndpoint(service)] as const);
  return new Map([...services, ...makeCChainEndpoints(nodes)]);
}

function makeCChainEndpoints({ world, cChain }: Nodes): [string, RpcEndpoint][] {
  if (cChain === null) return [];
  const endpoint = makeCChainEndpoint(cChain);
  return ['C', idToString(world.cChainId)].map((chain) => [`/ext/bc/${chain}/rpc`, endpoint]);
}

function makeServices(nodes: Nodes): ReadonlyMap<string, RpcService> {
  const { world, pChain, proofs, signers, transactions, apiIdentity, apiNode, validators } = nodes;
  const byNodeId = new Map(validators.map((validator) => [validator.nodeId, validator]));
  const listings = new ValidatorListings({ world, proofs, signers, nodes: byNodeId });
  const info = makeInfoService({
    world,
    proofs,
    identity: apiIdentity,
    node: apiNode,
    validators,
    recorded: pChain?.recorded ?? null,
  });
  const platform = makePlatformService({ world, pChain, transactions, listings });
  const proposerVm = makeProposerVmService(world.clock);
  return new Map([
    ...(pChain === null ? [] : [['/ext/index/P/block', makeIndexService(pChain)] as const]),
    ['/ext/info', info],
    ['/ext/bc/P', platform],
    ['/ext/P', platform],
    [`/ext/bc/${idToString(EMPTY_ID)}`, platform],
    ['/ext/bc/P/proposervm', proposerVm],
    ['/ext/bc/C/proposervm', proposerVm],
    [`/ext/bc/${idToString(world.cChainId)}/proposervm`, proposerVm],
  ]);
}
