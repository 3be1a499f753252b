import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { silentLogger } from '../../../../test/support/silent-logger.js';
import type { PeerRequestError } from '../peer-request.error.js';
import { PeerNetwork, type PeerNetworkLimits, type PeerNetworkOptions } from './peer-network.js';
import {
  ScriptedNode,
  TEST_NETWORK_ID,
  until,
  type Script,
} from '../../../../test/support/p2p/scripted-node.js';
import { endStarted, onTestEnd, startNode } from '../../../../test/support/p2p/started.js';
import { TlsIdentity } from '../peer/tls-identity.js';

const clientVersion = { name: 'avalanchego', major: 1, minor: 14, patch: 2 };
/** Of the scripted nodes. */
const nodeVersion = { ...clientVersion, minor: 15, patch: 0 };
const chainId = new Uint8Array(32);
const FAST: Partial<PeerNetworkLimits> = {
  tickMs: 5,
  loopbackDelayMs: 10,
  maxLoopbackDelayMs: 50,
  // Both ends are here: where this process stands still, nobody is to be dialled again.
  firstSecureTimeoutMs: 60_000,
  handshakeTimeoutMs: 60_000,
};

afterEach(endStarted);

const startNodes = (count: number, script: Script = {}): Promise<ScriptedNode[]> =>
  Promise.all(Array.from({ length: count }, () => startNode(script)));

async function startPair(): Promise<[ScriptedNode, ScriptedNode]> {
  return [await startNode(), await startNode()];
}

function makeNetwork(
  limits: Partial<PeerNetworkLimits> = {},
  options: Partial<PeerNetworkOptions> = {},
): PeerNetwork {
  const network = new PeerNetwork({
    networkId: TEST_NETWORK_ID,
    identity: TlsIdentity.generate(),
    clientVersion,
    allowPrivateAddresses: true,
    logger: silentLogger,
    limits: { ...FAST, ...limits },
    ...options,
  });
  onTestEnd(() => network.close());
  return network;
}

const echo: Script['onAppRequest'] = ({ requestId, appBytes }, session) =>
  session.send({ case: 'appResponse', value: { chainId, requestId, appBytes } });

const connected = (network: PeerNetwork, ...nodes: ScriptedNode[]): Promise<void> =>
  until(() => nodes.every(({ nodeId }) => network.isConnected(nodeId)), 'the connection');

/** Stops the clock that the network reads; its timers, and the connections, go on. */
function stopClock(): void {
  jest.useFakeTimers({
    doNotFake: [
      ...(['Date', 'hrtime', 'nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
      ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
    ],
  });
  onTestEnd(() => void jest.useRealTimers());
}

describe(PeerNetwork.name, () => {
  it('connects the nodes that are wanted, reports who listens, and asks them', async () => {
    const nodes = await startNodes(3, { onAppRequest: echo });
    const [first, second, third] = nodes;
    const network = makeNetwork();
    const heard: string[] = [];
    const stop = network.onConnected((nodeId) => heard.push(nodeId));
    network.setAddresses(nodes.map(({ address }) => address));
    network.track([first!.nodeId, second!.nodeId]);
    await connected(network, first!, second!);
    expect(
      network
        .connectedPeers()
        .map(({ nodeId }) => nodeId)
        .sort(),
    ).toEqual([first!.nodeId, second!.nodeId].sort());
    expect([...heard].sort()).toEqual([first!.nodeId, second!.nodeId].sort());
    expect(network.connectedPeers()[0]?.clientVersion).toEqual(nodeVersion);
    expect(third!.connections).toBe(0);

    stop();
    network.track([third!.nodeId]);
    await connected(network, third!);
    expect(heard).toHaveLength(2);
    for (const { nodeId } of nodes) {
      const appBytes = new TextEncoder().encode(nodeId);
      expect(await network.appRequest({ nodeId, chainId, appBytes, timeoutMs: 25_000 })).toEqual(appBytes);
    }
  });

  it('connects when the address comes after the wish', async () => {
    const node = await startNode();
    const network = makeNetwork();
    network.track([node.nodeId]);
    expect(network.connectionState(node.nodeId)).toBe('no address');
    network.setAddresses([node.address]);
    await connected(network, node);
    expect(network.connectionState(node.nodeId)).toBe('connected');
  });

  it('reports why a node is not connected', async () => {
    const node = await startNode();
    const gone = await ScriptedNode.start();
    // One attempt, so that none is under way when the error is looked at.
    const network = makeNetwork({ loopbackDelayMs: 60_000, maxLoopbackDelayMs: 60_000 });
    const stranger = TlsIdentity.generate().nodeId;
    network.setAddresses([gone.address, { ...node.address, nodeId: stranger }]);
    await gone.close();
    expect(network.connectionState(node.nodeId)).toBe('not tracked');
    network.track([gone.nodeId, stranger]);
    expect(network.connectionState(gone.nodeId)).toBe('waiting to be dialled');
    await until(() => network.connectionState(gone.nodeId) === 'refused');
    await until(
      () => network.connectionState(stranger) === `handshake failed: ${node.nodeId} is at this address`,
    );
    const error = await network
      .appRequest({ nodeId: gone.nodeId, chainId, appBytes: chainId, timeoutMs: 100 })
      .catch((reason: PeerRequestError) => reason);
    expect(error).toMatchObject({ code: 'NOT_CONNECTED' });
    expect(String(error)).toContain('refused');
  });

  it('reconnects a node that was restarted', async () => {
    const identity = TlsIdentity.generate();
    const node = await ScriptedNode.start({ identity });
    const { port } = node;
    const network = makeNetwork();
    network.setAddresses([node.address]);
    network.track([node.nodeId]);
    await connected(network, node);
    await node.close();
    await until(() => !network.isConnected(identity.nodeId));
    await until(() => network.connectionState(identity.nodeId) === 'refused');
    const again = await startNode({ identity, port });
    await connected(network, again);
  });

  it('goes on trying a node that closes every connection', async () => {
    let refusals = 5;
    const node = await startNode({
      onHandshake: (session) => {
        if (refusals > 0) {
          refusals -= 1;
          session.socket.destroy();
        } else {
          session.send({ case: 'peerList', value: {} });
        }
      },
    });
    const warnings: string[] = [];
    const logger = {
      debug: () => undefined,
      log: () => undefined,
      warn: (text: string) => warnings.push(text),
    };
    const network = makeNetwork({}, { logger });
    network.setAddresses([node.address]);
    network.track([node.nodeId]);
    await connected(network, node);
    expect(node.connections).toBe(6);
    // Once, with what a person needs to find out why.
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(`on network ${TEST_NETWORK_ID}, avalanchego/1.14.2`);
  });

  it('keeps a node as long as anybody wants it, and a little longer', async () => {
    const [node, unwanted] = await startPair();
    const network = makeNetwork({ lingerMs: 30 });
    network.setAddresses([node.address, unwanted.address]);
    const releases = [network.track([node.nodeId, node.nodeId]), network.track([node.nodeId])];
    const releaseUnwanted = network.track([unwanted.nodeId]);
    await connected(network, node, unwanted);
    releases[0]!();
    releases[0]!();
    releaseUnwanted();
    await until(() => !network.isConnected(unwanted.nodeId));
    expect(network.isConnected(node.nodeId)).toBe(true);
    releases[1]!();
    expect(network.isConnected(node.nodeId)).toBe(true);
    await until(() => !network.isConnected(node.nodeId));
    expect(network.connectionState(node.nodeId)).toBe('not tracked');
    await until(() => node.openSessions === 0);
    expect(node.connections).toBe(1);
    network.track([node.nodeId]);
    await connected(network, node);
  });

  it('does not drop a connection that is wanted again in time', async () => {
    const node = await startNode();
    const network = makeNetwork({ lingerMs: 10_000 });
    network.setAddresses([node.address]);
    const release = network.track([node.nodeId]);
    await connected(network, node);
    release();
    network.track([node.nodeId]);
    expect(network.isConnected(node.nodeId)).toBe(true);
    expect(node.connections).toBe(1);
  });

  describe('the penalty box', () => {
    it('disconnects a node that floods, and leaves it alone for a while', async () => {
      stopClock();
      const [node, other] = await startPair();
      const unaskedMessages = { burst: 10, perSecond: 1 };
      const network = makeNetwork({ benchMs: 200, maxConcurrentDials: 1, unaskedMessages });
      network.setAddresses([node.address, other.address]);
      network.track([node.nodeId]);
      await connected(network, node);
      const pending = network
        .appRequest({ nodeId: node.nodeId, chainId, appBytes: chainId, timeoutMs: 25_000 })
        .catch((reason: PeerRequestError) => reason);
      node.session.sendBytes(new Uint8Array(4 * 20));
      await until(() => network.connectionState(node.nodeId) === 'benched: sent too many messages');
      expect(network.isConnected(node.nodeId)).toBe(false);
      expect(await pending).toMatchObject({ code: 'DISCONNECTED' });
      jest.advanceTimersByTime(199);
      // Dialled after it, if it were dialled.
      network.track([node.nodeId, other.nodeId]);
      await connected(network, other);
      expect(node.connections).toBe(1);
      jest.advanceTimersByTime(1);
      await connected(network, node);
      expect(node.connections).toBe(2);
    });
  });

  it('lets two identities talk to the same node', async () => {
    const node = await startNode({ onAppRequest: echo });
    const networks = [makeNetwork(), makeNetwork()];
    for (const network of networks) {
      network.setAddresses([node.address]);
      network.track([node.nodeId]);
    }
    await Promise.all(networks.map((network) => connected(network, node)));
    const answers = networks.map((network, i) =>
      network.appRequest({ nodeId: node.nodeId, chainId, appBytes: Uint8Array.of(i), timeoutMs: 25_000 }),
    );
    expect(await Promise.all(answers)).toEqual([Uint8Array.of(0), Uint8Array.of(1)]);
  });

  it('never dials itself', async () => {
    const node = await startNode();
    const network = makeNetwork({}, { identity: node.identity });
    network.setAddresses([node.address]);
    network.track([node.nodeId])();
    expect(network.connectionState(node.nodeId)).toBe('not tracked');
  });

  it('does not dial private addresses unless allowed', async () => {
    const node = await startNode();
    const network = makeNetwork({}, { allowPrivateAddresses: false });
    network.setAddresses([node.address]);
    network.track([node.nodeId]);
    await until(() => network.connectionState(node.nodeId) === 'private address');
    expect(node.connections).toBe(0);
  });

  it('connects two hundred nodes, a few at a time', async () => {
    const nodes = await startNodes(200);
    const network = makeNetwork({ maxConcurrentDials: 8 });
    let connecting = 0;
    let mostConnecting = 0;
    const timer = setInterval(() => {
      connecting = nodes.filter(({ nodeId }) => network.connectionState(nodeId) === 'connecting').length;
      mostConnecting = Math.max(mostConnecting, connecting);
    }, 1);
    onTestEnd(() => clearInterval(timer));
    network.setAddresses(nodes.map(({ address }) => address));
    network.track(nodes.map(({ nodeId }) => nodeId));
    await until(() => network.count().connected === nodes.length, 'all connections', 60_000);
    expect(mostConnecting).toBeGreaterThan(0);
    expect(mostConnecting).toBeLessThanOrEqual(8);
    expect(nodes.every(({ connections }) => connections === 1)).toBe(true);
  }, 90_000);

  it('dials those first that are wanted most', async () => {
    const nodes = await startNodes(12);
    const network = makeNetwork({ maxConcurrentDials: 1 });
    const connectedFirst: string[] = [];
    network.onConnected((nodeId) => connectedFirst.push(nodeId));
    network.setAddresses(nodes.map(({ address }) => address));
    const byWeight = nodes.map(({ nodeId }) => nodeId).reverse();
    network.track(byWeight);
    await connected(network, ...nodes);
    expect(connectedFirst).toEqual(byWeight);
  });

  it('dials at leisure those that are not needed', async () => {
    const nodes = await startNodes(9);
    const network = makeNetwork({ spareDials: { burst: 2, perSecond: 0 }, maxConcurrentDials: 1 });
    network.setAddresses(nodes.map(({ address }) => address));
    const ids = nodes.slice(0, 8).map(({ nodeId }) => nodeId);
    const another = nodes[8]!;
    network.track(ids, 3);
    await until(() => network.count().connected === 5, 'the needed ones and two more');
    // Whoever asks those that are connected changes nothing about the others, which would come before a new one.
    network.track([...ids, another.nodeId]);
    await connected(network, another);
    expect(
      network
        .connectedPeers()
        .map(({ nodeId }) => nodeId)
        .sort(),
    ).toEqual([...ids.slice(0, 5), another.nodeId].sort());
    // The last one validates a small network too, which needs it.
    network.track(ids.slice(-1), 1);
    await connected(network, nodes[7]!);
    expect(network.count().connected).toBe(7);
  });

  describe('nodes that accept a connection and stay silent', () => {
    const silent: Script = { onConnection: () => undefined };

    it('are given up soon at first, and do not come first again', async () => {
      const [holes, nodes] = await Promise.all([startNodes(4, silent), startNodes(8)]);
      const network = makeNetwork({
        maxConcurrentDials: 4,
        maxDoubtfulDials: 2,
        firstSecureTimeoutMs: 500,
        handshakeTimeoutMs: 60_000,
      });
      network.setAddresses([...holes, ...nodes].map(({ address }) => address));
      network.track([...holes, ...nodes].map(({ nodeId }) => nodeId));
      await connected(network, ...nodes);
      expect(network.connectionState(holes[0]!.nodeId)).toMatch(/timed out|connecting/);
    });

    it('leave half of the attempts to others', async () => {
      const holes = await startNodes(4, silent);
      const network = makeNetwork({
        maxConcurrentDials: 4,
        maxDoubtfulDials: 2,
        firstSecureTimeoutMs: 250,
        handshakeTimeoutMs: 60_000,
      });
      network.setAddresses(holes.map(({ address }) => address));
      network.track(holes.map(({ nodeId }) => nodeId));
      const connecting = (): number =>
        holes.filter(({ nodeId }) => network.connectionState(nodeId) === 'connecting').length;
      await until(() => holes.reduce((sum, { connections }) => sum + connections, 0) >= 6, 'second attempts');
      // On a busy machine some of the first attempts have yet to be given up.
      await until(() => connecting() === 2, 'two at a time');
      const node = await startNode();
      network.setAddresses([node.address]);
      network.track([node.nodeId]);
      await connected(network, node);
      await until(() => connecting() === 2, 'still two at a time');
    });
  });

  describe('addresses from peers', () => {
    it('are learned from the answer to the handshake', async () => {
      const hidden = await startNode();
      const node = await startNode({
        onHandshake: (session) =>
          session.send({ case: 'peerList', value: { claimedIpPorts: [hidden.claim()] } }),
      });
      const network = makeNetwork();
      network.setAddresses([node.address]);
      network.track([node.nodeId, hidden.nodeId]);
      await connected(network, node, hidden);
    });

    it('are asked for while a node is missing, without those that are known', async () => {
      const other = await startNode();
      const hidden = await startNode();
      const node = await startNode({
        onHandshake: (session) =>
          session.send({ case: 'peerList', value: { claimedIpPorts: [other.claim()] } }),
        onGetPeerList: (session) => {
          if (session.all('getPeerList').length === 3) {
            session.send({ case: 'peerList', value: { claimedIpPorts: [hidden.claim()] } });
          }
        },
      });
      const network = makeNetwork({ urgentIntervalMs: 10, intervalMs: 60_000, filterLifetimeMs: 0 });
      network.setAddresses([node.address]);
      network.track([node.nodeId, hidden.nodeId]);
      await connected(network, hidden);
      const asked = node.session.all('getPeerList');
      expect(asked.every(({ allSubnets }) => allSubnets)).toBe(true);
      // A filter with bits set, as it holds `other`.
      expect(asked[2]!.knownPeers!.filter.subarray(81).some((byte) => byte !== 0)).toBe(true);
    });

    it('are asked for at the first pace again when somebody else is wanted', async () => {
      stopClock();
      const node = await startNode({
        onHandshake: (session) => session.send({ case: 'peerList', value: {} }),
      });
      const network = makeNetwork({ urgentIntervalMs: 1_000, intervalMs: 100_000 });
      network.setAddresses([node.address]);
      network.track([node.nodeId, TlsIdentity.generate().nodeId]);
      await connected(network, node);
      const questions = (count: number): Promise<void> =>
        until(() => node.session.all('getPeerList').length === count, `question ${count}`);
      await questions(1);
      jest.advanceTimersByTime(2_000);
      await questions(2);
      network.track([TlsIdentity.generate().nodeId]);
      jest.advanceTimersByTime(1_000);
      await questions(3);
    });

    it('take turns with the address that was given, when that one is out of date', async () => {
      const moved = await startNode();
      const node = await startNode({
        onHandshake: (session) =>
          session.send({ case: 'peerList', value: { claimedIpPorts: [moved.claim()] } }),
      });
      const gone = await ScriptedNode.start();
      const network = makeNetwork();
      network.setAddresses([node.address, { ...gone.address, nodeId: moved.nodeId }]);
      await gone.close();
      network.track([node.nodeId, moved.nodeId]);
      await connected(network, moved);
    });
  });

  it('ends everything on close, and starts nothing after it', async () => {
    const [node, other] = await startNodes(2);
    const network = makeNetwork();
    network.setAddresses([node!.address, other!.address]);
    network.track([node!.nodeId]);
    await connected(network, node!);
    const pending = network
      .appRequest({ nodeId: node!.nodeId, chainId, appBytes: chainId, timeoutMs: 25_000 })
      .catch((reason: PeerRequestError) => reason);
    await network.close();
    expect(await pending).toMatchObject({ code: 'DISCONNECTED' });
    await until(() => node!.openSessions === 0);
    const another = makeNetwork();
    another.setAddresses([node!.address]);
    network.track([node!.nodeId, other!.nodeId]);
    another.track([node!.nodeId]);
    // Later than the closed one would have connected.
    await connected(another, node!);
    expect([node!.connections, other!.connections]).toEqual([2, 0]);
    await network.close();
  });

  it('reconnects under a new version the nodes that hung up on the old one', async () => {
    let floor = 14;
    const nodes = await startNodes(3, {
      onHandshake: (session) => {
        const { client } = session.all('handshake')[0]!;
        if (client!.minor < floor) session.socket.destroy();
        else session.send({ case: 'peerList', value: {} });
      },
    });
    const network = makeNetwork();
    network.setAddresses(nodes.map(({ address }) => address));
    network.track(nodes.map(({ nodeId }) => nodeId));
    await connected(network, ...nodes);
    expect(network.isTurnedAway).toBe(false);

    floor = 15;
    nodes.forEach(({ session }) => session.socket.destroy());
    await until(() => nodes.every(({ connections }) => connections > 2), 'attempts under the old version');
    expect(network.count().connected).toBe(0);
    expect(network.isTurnedAway).toBe(true);

    network.setClientVersion({ ...clientVersion, minor: 15 });
    await connected(network, ...nodes);
    expect(network.isTurnedAway).toBe(false);
  });

  it('does not take nodes that are away for nodes that dislike it', async () => {
    const gone = await ScriptedNode.start();
    const network = makeNetwork();
    network.setAddresses([gone.address]);
    await gone.close();
    network.track([gone.nodeId]);
    await until(() => network.connectionState(gone.nodeId) === 'refused');
    expect(network.isTurnedAway).toBe(false);
  });

  it('claims another version on request', async () => {
    const node = await startNode();
    const network = makeNetwork();
    network.setClientVersion({ ...clientVersion, minor: 99 });
    network.setAddresses([node.address]);
    network.track([node.nodeId]);
    await connected(network, node);
    expect(node.session.all('handshake')[0]!.client!.minor).toBe(99);
  });
});
