import { answerOrNot } from '../common-misconduct.js';
import type { RpcEndpoint } from '../rpc/endpoint.js';
import { makeEvmEndpoint } from '../rpc/evm-endpoint.js';
import { makeDebugMethods, makeEthMethods } from './eth-methods.js';
import type { ServedEvmChain } from './served-evm-chain.js';

/** `/ext/bc/{chain}/rpc` of the simulated node. */
export function makeEvmChainEndpoint(chain: ServedEvmChain): RpcEndpoint {
  const eth = makeEthMethods(chain);
  const debug = makeDebugMethods(chain);
  return makeEvmEndpoint({
    answerOrNot: () => answerOrNot(chain.behaviour),
    findMethod: (name) => eth.get(name) ?? (chain.hasTracer ? debug.get(name) : undefined),
  });
}
