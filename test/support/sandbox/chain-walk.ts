import type { Peer } from '../../../src/avalanche/p2p/peer/peer.js';
import { containerId, unwrapBlock } from '../../../src/avalanche/platformvm/codec/proposervm.js';
import type { Id } from '../../../src/avalanche/platformvm/ids.js';
import type { SandboxValidator } from '../../../sandbox/sandbox.js';
import { Dialled } from '../p2p/dialled-peer.js';

/** The service's own client, connected to one validator until the test ends. */
export async function clientOf({ nodeId, port }: SandboxValidator): Promise<Peer> {
  const { peer } = await new Dialled({ nodeId, host: '127.0.0.1', port }, {}, {}).ready();
  return peer;
}

/** How many containers from the first on are those that were asked for: the first by its id, the next by the one before. */
export function countLinked(
  containers: readonly Uint8Array[],
  firstId: Id,
  parse: (block: Uint8Array) => { readonly parentId: Id },
): number {
  let expected = firstId;
  const firstBreak = containers.findIndex((container) => {
    if (containerId(container) !== expected) return true;
    expected = unwrapBlock(container).envelope?.parentId ?? parse(container).parentId;
    return false;
  });
  return firstBreak < 0 ? containers.length : firstBreak;
}
