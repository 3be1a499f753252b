import { EvmFault } from '../../../sandbox/rpc/evm-endpoint.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';

/** Answers of a node that has pruned all states but the newest. */
export const NO_OLD_STATES = {
  eth_getTransactionCount: (): never => {
    throw new EvmFault('missing trie node 1234 (path ) state 0x12 is not available, not found');
  },
};

/** While the node has pruned all states but the newest. */
export async function withoutStates<T>(node: Sandbox, work: () => Promise<T>): Promise<T> {
  node.setNodeBehaviour({ answers: NO_OLD_STATES });
  try {
    return await work();
  } finally {
    node.setNodeBehaviour({});
  }
}
