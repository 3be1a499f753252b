import { TlsIdentity } from '../../../src/avalanche/p2p/peer/tls-identity.js';
import { PeerNetwork } from '../../../src/avalanche/p2p/network/peer-network.js';
import type { LocalNode } from '../../../tools/localnet/local-node.js';
import { onCleanup } from '../harness/cleanup.js';
import { eventually } from '../harness/eventually.js';
import { silentLogger } from '../silent-logger.js';

const LOCAL_NETWORK_ID = 12345;

/** A peer of these nodes, with all of them connected. */
export async function connectTo(nodes: readonly LocalNode[]): Promise<PeerNetwork> {
  const peers = new PeerNetwork({
    networkId: LOCAL_NETWORK_ID,
    identity: TlsIdentity.generate(),
    clientVersion: { name: 'avalanchego', major: 1, minor: 15, patch: 0 },
    allowPrivateAddresses: true,
    logger: silentLogger,
  });
  onCleanup(() => peers.close());
  const nodeIds = nodes.map(({ nodeId }) => nodeId);
  peers.setAddresses(
    nodes.map(({ nodeId, stakingPort }) => ({ nodeId, host: '127.0.0.1', port: stakingPort })),
  );
  peers.track(nodeIds);
  await eventually('connections', () => nodeIds.every((nodeId) => peers.isConnected(nodeId)));
  return peers;
}
