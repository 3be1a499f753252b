import { TlsIdentity } from '../../../src/avalanche/p2p/peer/tls-identity.js';
import { PeerNetwork } from '../../../src/avalanche/p2p/network/peer-network.js';
import { onCleanup } from '../harness/cleanup.js';
import { eventually } from '../harness/eventually.js';
import { silentLogger } from '../silent-logger.js';

const LOCAL_NETWORK_ID = 12345;

interface ListeningNode {
  readonly nodeId: string;
  /** On loopback. */
  readonly port: number;
}

/** A peer of these nodes of the local network, with all of them connected. */
export async function connectTo(nodes: readonly ListeningNode[]): Promise<PeerNetwork> {
  const peers = new PeerNetwork({
    networkId: LOCAL_NETWORK_ID,
    identity: TlsIdentity.generate(),
    clientVersion: { name: 'avalanchego', major: 1, minor: 15, patch: 0 },
    allowPrivateAddresses: true,
    logger: silentLogger,
  });
  onCleanup(() => peers.close());
  const nodeIds = nodes.map(({ nodeId }) => nodeId);
  peers.setAddresses(nodes.map(({ nodeId, port }) => ({ nodeId, host: '127.0.0.1', port })));
  peers.track(nodeIds);
  await eventually('connections', () => nodeIds.every((nodeId) => peers.isConnected(nodeId)));
  return peers;
}

/** The variables of a service that has no node of a local network, and begins with these peers. */
export function withoutNode(nodes: readonly ListeningNode[]) {
  return {
    FUJI_NODE_URL: undefined,
    NETWORKS: `fuji:${LOCAL_NETWORK_ID}`,
    FUJI_PEERS: peersSetting(nodes).join(','),
  };
}

/** As they stand in `FUJI_PEERS`. */
export function peersSetting(nodes: readonly ListeningNode[]): string[] {
  return nodes.map(({ nodeId, port }) => `${nodeId}@127.0.0.1:${port}`);
}
