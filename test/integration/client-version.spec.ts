import { afterEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '../support/silent-logger.js';
import { compareVersions, type ClientVersion } from '../../src/avalanche/p2p/peer/handshake.js';
import { ScriptedNode } from '../support/p2p/scripted-node.js';
import { TlsIdentity } from '../../src/avalanche/p2p/peer/tls-identity.js';
import { Network } from '../../src/platform/networks/network.js';
import { formatClientVersion } from '../../src/resources/signature-aggregator/peers/client-version.js';
import { NetworkPeers } from '../../src/resources/signature-aggregator/peers/network-peers.js';
import { eventually } from '../support/harness/eventually.js';
import { startInfoNode } from '../support/info-node.js';
import { NODE_PATIENCE_MS } from '../support/node-patience.js';

const HOUR_MS = 3_600_000;
const LIMITS = { tickMs: 5, versionTickMs: 5, loopbackDelayMs: 10, maxLoopbackDelayMs: HOUR_MS };

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const version = (minor: number, patch: number): ClientVersion => ({ name: '', major: 1, minor, patch });

/** Peers that close on whoever claims less than the floor; raising it ends the connections, as nodes do with the next ping. */
class Peers {
  floor = version(14, 0);
  nodes: ScriptedNode[] = [];

  static async start(count: number): Promise<Peers> {
    const peers = new Peers();
    for (let i = 0; i < count; i++) {
      const node = await ScriptedNode.start({
        onHandshake: (session) => {
          const client = session.all('handshake')[0]?.client;
          if (client === undefined || compareVersions(client, peers.floor) < 0) session.socket.destroy();
          else session.send({ case: 'peerList', value: {} });
        },
      });
      closers.push(() => node.close());
      peers.nodes.push(node);
    }
    return peers;
  }

  raiseFloor(floor: ClientVersion): void {
    this.floor = floor;
    this.nodes.forEach(({ session }) => session.socket.destroy());
  }
}

async function startNetworkPeers(
  infoNodes: readonly Awaited<ReturnType<typeof startInfoNode>>[],
  { nodes }: Peers,
  options: { versionIntervalMs: number; turnedAwayIntervalMs: number },
): Promise<NetworkPeers> {
  infoNodes.forEach(({ info }) => (info.peers = nodes.map(({ address }) => address)));
  const network = new Network(
    {
      name: 'fuji',
      isEnabled: true,
      networkId: 5,
      nodeUrls: infoNodes.map(({ node }) => node.url),
      sandbox: false,
      peers: [],
    },
    { timeoutMs: NODE_PATIENCE_MS },
  );
  const started = await NetworkPeers.start(network, TlsIdentity.generate(), silentLogger, {
    ...LIMITS,
    ...options,
  });
  closers.push(
    () => network.rpc.close(),
    () => started.close(),
  );
  started.peers.track(nodes.map(({ nodeId }) => nodeId));
  await areConnected(started, nodes.length);
  return started;
}

const areConnected = ({ peers }: NetworkPeers, count: number): Promise<void> =>
  eventually(`${count} connected`, () => peers.count().connected === count);

const claimed = ({ peers }: NetworkPeers): string => formatClientVersion(peers.clientVersion);

describe('the version claimed to peers', () => {
  it('follows that of the node, and has peers back that refused the old one', async () => {
    const node = await startInfoNode({ version: 'avalanchego/1.14.2' });
    const peers = await Peers.start(3);
    const network = await startNetworkPeers([node], peers, {
      versionIntervalMs: HOUR_MS,
      turnedAwayIntervalMs: 50,
    });
    expect(claimed(network)).toBe('1.14.2');

    peers.raiseFloor(version(15, 0));
    // So often refused that the next attempts come late.
    await eventually('refusals', () => peers.nodes.every(({ connections }) => connections > 5));
    expect(claimed(network)).toBe('1.14.2');

    node.info.version = 'avalanchego/1.15.0';
    await areConnected(network, 3);
    expect(claimed(network)).toBe('1.15.0');
    expect(peers.nodes.every(({ session }) => session.all('handshake')[0]?.client?.minor === 15)).toBe(true);
  });

  it('is right beforehand when the network is upgraded after the node', async () => {
    const node = await startInfoNode({ version: 'avalanchego/1.14.2' });
    const peers = await Peers.start(2);
    const network = await startNetworkPeers([node], peers, {
      versionIntervalMs: 20,
      turnedAwayIntervalMs: HOUR_MS,
    });
    node.info.version = 'avalanchego/1.15.0';
    await eventually('the new version', () => claimed(network) === '1.15.0');
    expect(peers.nodes.map(({ connections }) => connections)).toEqual([1, 1]);

    peers.raiseFloor(version(15, 0));
    await eventually('second connections', () => peers.nodes.every(({ connections }) => connections === 2));
    await areConnected(network, 2);
    expect(peers.nodes.map(({ connections }) => connections)).toEqual([2, 2]);
  });

  it('is the highest of several nodes, whatever one of them reports that is older, silent or broken', async () => {
    const [first, second] = [
      await startInfoNode({ version: 'avalanchego/1.14.2' }),
      await startInfoNode({ version: 'avalanchego/1.15.1' }),
    ];
    const peers = await Peers.start(1);
    const network = await startNetworkPeers([first, second], peers, {
      versionIntervalMs: 5,
      turnedAwayIntervalMs: HOUR_MS,
    });
    expect(claimed(network)).toBe('1.15.1');
    for (const answer of ['avalanchego/1.14.2', undefined, 'avalanchego/1.99.0 or so', 'x'.repeat(10_000)]) {
      second.info.version = answer;
      const asked = (): number => second.node.calls['info.getNodeVersion'] ?? 0;
      const before = asked();
      await eventually('asked twice more', () => asked() >= before + 2);
      expect(claimed(network)).toBe('1.15.1');
    }
    first.info.version = 'avalanchego/1.16.0';
    await eventually('the other node’s upgrade', () => claimed(network) === '1.16.0');
    expect(peers.nodes[0]?.connections).toBe(1);
  });
});
