import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { bls } from '../../src/avalanche/bls/bls.js';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { idFromString } from '../../src/avalanche/ids/id.js';
import { silentLogger } from '../support/silent-logger.js';
import { packSignatureRequest, unpackSignatureResponse } from '../../src/avalanche/p2p/messages/acp118.js';
import type { ClientVersion } from '../../src/avalanche/p2p/peer/handshake.js';
import {
  PeerNetwork,
  type PeerNetworkLimits,
  type PeerNetworkOptions,
} from '../../src/avalanche/p2p/network/peer-network.js';
import { TlsIdentity } from '../../src/avalanche/p2p/peer/tls-identity.js';
import { collectSignatures } from '../../src/avalanche/signature-aggregation/signature-aggregator.js';
import { makeCanonicalValidatorSet } from '../../src/avalanche/warp/canonical-validator-set.js';
import { packAddressedCall } from '../../src/avalanche/warp/payload/addressed-call.js';
import { packUnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';
import { NetworkPeers } from '../../src/resources/signature-aggregator/peers/network-peers.js';
import { AvalanchegoPeers } from '../support/real-nodes/avalanchego-peers.js';
import { eventually } from '../support/harness/eventually.js';
import { startInfoNode } from '../support/info-node.js';
import { verifySignedMessage } from '../support/signatures/verify-signed-message.js';
import { networkAt } from '../support/network.js';

const HOUR_MS = 3_600_000;
const PING_MS = 200;
const FAST: Partial<PeerNetworkLimits> = { tickMs: 20, pingIntervalMs: PING_MS, urgentIntervalMs: 50 };
/** So refused nodes are soon left alone for a time that no test would wait. */
const IMPATIENT: Partial<PeerNetworkLimits> = { loopbackDelayMs: 10, maxLoopbackDelayMs: HOUR_MS };

const version = (minor: number, patch: number): ClientVersion => ({
  name: 'avalanchego',
  major: 1,
  minor,
  patch,
});

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startPeers(nodes: number, floorMinor: number): Promise<AvalanchegoPeers> {
  const peers = await AvalanchegoPeers.start({ nodes, floorMinor, pingMs: PING_MS });
  closers.push(() => peers.stop());
  return peers;
}

function makeClient(
  networkId: number,
  clientVersion: ClientVersion,
  options: Partial<PeerNetworkOptions> = {},
): { client: PeerNetwork; identity: TlsIdentity } {
  const identity = TlsIdentity.generate();
  const client = new PeerNetwork({
    networkId,
    identity,
    clientVersion,
    allowPrivateAddresses: true,
    logger: silentLogger,
    ...options,
    limits: { ...FAST, ...options.limits },
  });
  closers.push(() => client.close());
  return { client, identity };
}

const areConnected = (client: PeerNetwork, nodeIds: readonly string[]): Promise<void> =>
  eventually('connections', () => nodeIds.every((nodeId) => client.isConnected(nodeId)));

function makeMessage(networkId: number, chainId: string): Uint8Array {
  return packUnsignedMessage({
    networkId,
    sourceChainId: idFromString(chainId),
    payload: packAddressedCall({ sourceAddress: randomBytes(20), payload: randomBytes(100) }),
  });
}

describe('peers of avalanchego 1.15.0', () => {
  beforeAll(() => AvalanchegoPeers.build());

  it('shake hands at the floor 1.15, exchange addresses, ping and sign', async () => {
    const peers = await startPeers(4, 15);
    const { networkId, chainId, nodes } = await peers.state();
    const { client, identity } = makeClient(networkId, version(15, 0));
    const [known] = await peers.addresses();
    client.setAddresses([known!]);
    // The others are heard of in peer lists only.
    client.track(nodes.map(({ nodeId }) => nodeId));
    await areConnected(
      client,
      nodes.map(({ nodeId }) => nodeId),
    );
    expect(client.connectedPeers().map(({ clientVersion }) => clientVersion)).toEqual(
      nodes.map(() => version(15, 0)),
    );

    const message = makeMessage(networkId, chainId);
    await peers.execute(message);
    for (const { nodeId, publicKey } of nodes) {
      const answer = await client.appRequest({
        nodeId,
        chainId: idFromString(chainId),
        appBytes: packSignatureRequest({ message, justification: new Uint8Array() }),
        timeoutMs: 60_000,
      });
      const signature = bls.signatureFromBytes(unpackSignatureResponse(answer));
      expect(bls.verify(message, bls.publicKeyFromBytes(fromHex(publicKey)), signature)).toBe(true);
    }

    // Its pings are answered, or it would close; so are ours.
    await eventually('pings both ways', async () => {
      const now = await peers.state();
      return now.nodes.every(({ received }, i) =>
        ['ping', 'pong'].every((kind) => (received[kind] ?? 0) > (nodes[i]?.received[kind] ?? 0) + 5),
      );
    });
    const after = await peers.state();
    expect(after.nodes.map((node) => node.peers[identity.nodeId])).toEqual(
      nodes.map(() => 'avalanchego/1.15.0'),
    );
  });

  it('refuse 1.14.2, and the client reports what a closed connection means', async () => {
    const peers = await startPeers(1, 15);
    const { networkId } = await peers.state();
    const warnings: string[] = [];
    const logger = {
      debug: () => undefined,
      log: () => undefined,
      warn: (text: string) => warnings.push(text),
    };
    const { client, identity } = makeClient(networkId, version(14, 2), { logger });
    const [address] = await peers.addresses();
    client.setAddresses([address!]);
    client.track([address!.nodeId]);
    await eventually('the warning', () => warnings.length > 0);
    expect(client.connectionState(address!.nodeId)).toMatch(/^(handshake failed|connecting)/);
    expect(warnings[0]).toContain('handshake failed');
    expect(warnings[0]).toContain(`${identity.nodeId} on network ${networkId}, avalanchego/1.14.2`);
    expect((await peers.state()).nodes[0]?.peers).toEqual({});
  });

  it('drop 1.14.2 when their floor rises, and have the client back once its node was upgraded', async () => {
    const peers = await startPeers(3, 14);
    const addresses = await peers.addresses();
    const { node, info } = await startInfoNode({ version: 'avalanchego/1.14.2', peers: addresses });
    const network = networkAt([node.url]);
    const identity = TlsIdentity.generate();
    const { peers: client, ...started } = await startClient();
    closers.push(
      () => network.rpc.close(),
      () => started.close(),
    );
    const nodeIds = addresses.map(({ nodeId }) => nodeId);
    client.track(nodeIds);
    await areConnected(client, nodeIds);

    await peers.setFloor(15);
    await eventually('all are lost', () => client.count().connected === 0);
    await eventually('refusals', async () => {
      const { nodes } = await peers.state();
      return nodes.every(({ received }) => (received['handshake'] ?? 0) > 2 + 5);
    });
    expect(client.count().connected).toBe(0);

    info.version = 'avalanchego/1.15.0';
    await areConnected(client, nodeIds);
    const { nodes } = await peers.state();
    expect(nodes.map((node) => node.peers[identity.nodeId])).toEqual(nodes.map(() => 'avalanchego/1.15.0'));

    async function startClient() {
      const networkPeers = await NetworkPeers.start(network, identity, silentLogger, {
        ...FAST,
        ...IMPATIENT,
        versionTickMs: 20,
        turnedAwayIntervalMs: 500,
      });
      return { peers: networkPeers.peers, close: () => networkPeers.close() };
    }
  });

  it('sign in the end what they have not executed at first', async () => {
    const peers = await startPeers(3, 15);
    const { networkId, chainId, nodes } = await peers.state();
    const { client } = makeClient(networkId, version(15, 0));
    client.setAddresses(await peers.addresses());
    const message = makeMessage(networkId, chainId);
    const validatorSet = makeCanonicalValidatorSet(
      nodes.map(({ nodeId, publicKey }) => ({ nodeId, publicKey: fromHex(publicKey), weight: 1n })),
    );
    const collected = collectSignatures(client, bls, {
      message,
      validatorSet,
      justification: new Uint8Array(),
      sourceChainId: idFromString(chainId),
      quorumPercentage: 100,
      quorumPercentageBuffer: 0,
      acceptQuorumAtTimeout: true,
      limits: {
        timeoutMs: 60_000,
        connectTimeoutMs: 20_000,
        bufferTimeoutMs: 10_000,
        requestTimeoutMs: 5_000,
        // Lag would be over by now; execution need not be.
        refusalRetryMs: 1,
        executionRetryMs: 50_000,
      },
    });
    const requests = async (): Promise<number[]> =>
      (await peers.state()).nodes.map(({ received }) => received['app_request'] ?? 0);
    await eventually('each was asked and has refused', async () => (await requests()).every((n) => n >= 2));
    await peers.execute(message);
    const { bytes, signers } = await collected;
    expect(signers).toHaveLength(3);
    verifySignedMessage(
      { signedMessage: Buffer.from(bytes).toString('hex') },
      { networkId, validatorSet, quorumPercentage: 100 },
    );
  });
});
