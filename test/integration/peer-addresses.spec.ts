import { afterEach, describe, expect, it } from '@jest/globals';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { silentLogger } from '../support/silent-logger.js';
import type { PeerAddress } from '../../src/avalanche/p2p/network/address.js';
import { ScriptedNode } from '../support/p2p/scripted-node.js';
import { TlsIdentity } from '../../src/avalanche/p2p/peer/tls-identity.js';
import { bls } from '../../src/avalanche/bls/bls.js';
import { PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { makeCanonicalValidatorSet } from '../../src/avalanche/warp/canonical-validator-set.js';
import type { ValidatorSetAtHeight } from '../../src/platform/networks/network.js';
import {
  NetworkPeers,
  type NetworkPeersLimits,
} from '../../src/resources/signature-aggregator/peers/network-peers.js';
import { eventually } from '../support/harness/eventually.js';
import { startInfoNode } from '../support/info-node.js';
import { testSecretKey } from '../support/signatures/in-memory-network.js';
import { networkAt } from '../support/network.js';

const LIMITS = { tickMs: 5, loopbackDelayMs: 10, maxLoopbackDelayMs: 50, lingerMs: 20 };
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startNodes(count: number): Promise<ScriptedNode[]> {
  const nodes = await Promise.all(Array.from({ length: count }, () => ScriptedNode.start()));
  closers.push(...nodes.map((node) => () => node.close()));
  return nodes;
}

interface Options {
  peers?: readonly string[];
  limits?: Partial<NetworkPeersLimits>;
}

async function startPeers(node: Sandbox, options: Options = {}): Promise<NetworkPeers> {
  const network = networkAt([node.url], {
    peers: options.peers ?? [],
  });
  const peers = await NetworkPeers.start(network, TlsIdentity.generate(), silentLogger, {
    ...LIMITS,
    ...options.limits,
  });
  closers.push(
    () => network.close(),
    () => peers.close(),
  );
  return peers;
}

/** Validators with these node ids, the heaviest last. */
function setOf(nodeIds: readonly string[], subnetId = PRIMARY_NETWORK_ID): ValidatorSetAtHeight {
  const entries = nodeIds.map((nodeId, i) => ({
    nodeId,
    publicKey: bls.publicKeyOf(testSecretKey(i)).toCompressed(),
    weight: BigInt(i + 1),
  }));
  return { subnetId, pChainHeight: 1n, set: makeCanonicalValidatorSet(entries) };
}

const idsOf = (nodes: readonly ScriptedNode[]): string[] => nodes.map(({ nodeId }) => nodeId);
const addressesOf = (nodes: readonly ScriptedNode[]): PeerAddress[] => nodes.map(({ address }) => address);
const stranger = (): string => TlsIdentity.generate().nodeId;

describe('the addresses of validators', () => {
  it('are asked of the node once, and for the missing ones alone after that', async () => {
    const nodes = await startNodes(3);
    const { node, info } = await startInfoNode({ peers: addressesOf(nodes) });
    const limits = { addressIntervalMs: 1, addressPausesMs: [1, 60_000] };
    const peers = await startPeers(node, { limits });
    const missing = stranger();
    const at = setOf([...idsOf(nodes), missing]);
    await eventually('three connected', () => peers.use(at).count().connected === 3);
    await eventually('the second question', () => {
      peers.use(at);
      return info.peersCalls.length === 3;
    });
    for (let i = 0; i < 20; i++) peers.use(at);
    const another = stranger();
    await eventually('a question about somebody else', () => {
      peers.use(setOf([...idsOf(nodes), missing, another]));
      return info.peersCalls.length > 3;
    });
    expect(info.peersCalls).toEqual([[], [missing], [missing], [another]]);
  });

  it('are asked for again when a validator has moved', async () => {
    const [moved] = await startNodes(1);
    const gone = await ScriptedNode.start();
    const { nodeId } = moved!;
    const { node, info } = await startInfoNode({ peers: [{ ...gone.address, nodeId }] });
    await gone.close();
    const peers = await startPeers(node, { limits: { addressIntervalMs: 1, addressPausesMs: [1] } });
    info.peers = [moved!.address];
    const at = setOf([nodeId]);
    await eventually('the moved one', () => peers.use(at).isConnected(nodeId));
    expect(info.peersCalls.slice(1).every((asked) => asked.length === 1)).toBe(true);
  });

  it('are taken from the configuration when the node does not report them', async () => {
    const nodes = await startNodes(2);
    const { node: infoNode } = await startInfoNode({});
    infoNode.setNodeBehaviour({ without: ['info.peers'] });
    const configured = nodes.map(({ nodeId, port }) => `${nodeId}@127.0.0.1:${port}`);
    const peers = await startPeers(infoNode, { peers: configured });
    const at = setOf(idsOf(nodes));
    await eventually('both', () => peers.use(at).count().connected === 2);
  });

  describe.each([
    { network: 'mainnet', networkId: 1 },
    { network: 'Fuji', networkId: 5 },
  ])("on $network, with a node of one's own at a private address", ({ networkId }) => {
    it('are believed and dialled only when they are public', async () => {
      const [trap] = await startNodes(1);
      const { port } = trap!;
      const hosts = ['127.0.0.1', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '0.0.0.0', 'localhost'];
      const elsewhere = [
        '10.0.0.1',
        '169.254.169.254',
        '192.168.1.1',
        '172.16.0.1',
        'fe80::1',
        'fd00::1',
        '100.64.0.1',
      ];
      const announced = [...hosts, ...elsewhere].map((host) => ({ nodeId: stranger(), host, port }));
      const { node } = await startInfoNode({ peers: announced }, networkId);
      const peers = await startPeers(node);
      const ids = announced.map(({ nodeId }) => nodeId);
      const network = peers.use(setOf(ids));
      await eventually('all refused', () =>
        ids.every((id) => network.connectionState(id) === 'private address'),
      );
      expect(trap!.connections).toBe(0);
    });

    it('may be private where the configuration allows it', async () => {
      const [node] = await startNodes(1);
      const { nodeId, port } = node!;
      const { node: infoNode } = await startInfoNode({}, networkId);
      const peers = await startPeers(infoNode, { peers: [`${nodeId}@127.0.0.1:${port}`] });
      const at = setOf([nodeId]);
      // The scripted node is of a local network and claims so; that it was dialled is what counts.
      await eventually('an attempt', () => {
        peers.use(at);
        return node!.connections > 0;
      });
    });
  });
});

describe('the validators that stay connected', () => {
  it('are those of the primary network however many L1s are used, and of the L1s that were used last', async () => {
    const [primary, first, last] = await startNodes(3);
    const { node } = await startInfoNode({ peers: addressesOf([primary!, first!, last!]) });
    const peers = await startPeers(node);
    const many = (count: number): string[] => Array.from({ length: count }, () => stranger());
    const l1 = (name: string, nodeIds: readonly string[]): ValidatorSetAtHeight => setOf(nodeIds, name);
    peers.use(setOf([primary!.nodeId]));
    peers.use(l1('first', [first!.nodeId]));
    const network = peers.use(l1('last', [last!.nodeId]));
    await eventually('all three', () => network.count().connected === 3);
    const strangers = many(1_500);
    for (const name of ['a', 'b', 'c']) {
      peers.use(l1('last', [last!.nodeId]));
      peers.use(l1(name, strangers));
    }
    await eventually('the end of the first', () => !network.isConnected(first!.nodeId));
    // A connection that broke because the machine was busy comes back; what has been dropped does not.
    await eventually(
      'the others',
      () => network.isConnected(primary!.nodeId) && network.isConnected(last!.nodeId),
    );
    expect(
      network
        .connectedPeers()
        .map(({ nodeId }) => nodeId)
        .sort(),
    ).toEqual([primary!.nodeId, last!.nodeId].sort());
  });
});
