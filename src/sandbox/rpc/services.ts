import { EMPTY_ID, idToString } from '../../avalanche/ids/id.js';
import type { Nodes } from '../world/make-nodes.js';
import { makeIndexService } from './index-service.js';
import { makeInfoService } from './info-service.js';
import type { RpcService } from './json-rpc-endpoint.js';
import { makePlatformService } from './platform-service.js';
import { makeProposerVmService } from './proposervm-service.js';
import { ValidatorListings } from './validator-listings.js';

/** The JSON-RPC services of the simulated node by path. */
export function makeServices(nodes: Nodes): ReadonlyMap<string, RpcService> {
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
