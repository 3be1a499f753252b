import { afterEach, describe, expect, it } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { bls } from '../../bls/bls.js';
import { validateHandshake } from './handshake.js';
import { FRAME_HEADER_BYTES, MAX_MESSAGE_BYTES, packFrame } from '../messages/message-framing.js';
import { encodeCompressedMessage, encodeMessage, type P2pMessageInit } from '../messages/p2p-message.js';
import { InboundMemory } from './peer-limits.js';
import { Peer } from './peer.js';
import {
  answer,
  chainId,
  dial,
  Dialled,
  echo,
  identity,
  rejection,
  request,
} from '../../../../test/support/p2p/dialled-peer.js';
import {
  ScriptedNode,
  TEST_NETWORK_ID,
  until,
  type Script,
} from '../../../../test/support/p2p/scripted-node.js';
import { endStarted, onTestEnd, startNode } from '../../../../test/support/p2p/started.js';
import { TlsIdentity } from './tls-identity.js';

const PONG: P2pMessageInit = { case: 'pong', value: {} };
const EMPTY_PEER_LIST: P2pMessageInit = { case: 'peerList', value: {} };

afterEach(endStarted);

describe(Peer.name, () => {
  describe('handshake', () => {
    it('greets in a way that a node accepts, and answers its greeting in the same write', async () => {
      const node = await startNode();
      const { peer } = await dial(node).ready();
      const { received, socket } = node.session;
      expect(received.slice(0, 2).map((message) => message.case)).toEqual(['handshake', 'peerList']);
      const [handshake] = node.session.all('handshake');
      validateHandshake(handshake!, {
        networkId: TEST_NETWORK_ID,
        nowSeconds: BigInt(Math.floor(Date.now() / 1000)),
        publicKey: new X509Certificate(identity.certDer).publicKey,
        maximumMajor: 1,
        minimumVersion: { major: 1, minor: 15, patch: 0 },
      });
      expect(() => bls.signatureFromBytes(handshake!.ipBlsSig)).not.toThrow();
      expect(handshake).toMatchObject({ allSubnets: true, ipPort: 1, upgradeTime: 0n });
      expect(handshake!.trackedSubnets).toEqual([]);
      expect(socket.getPeerX509Certificate()?.raw.equals(identity.certDer)).toBe(true);
      expect(socket.getProtocol()).toBe('TLSv1.3');
      expect(peer.clientVersion).toEqual({ name: 'avalanchego', major: 1, minor: 15, patch: 0 });
    });

    it('is not ready before the node has answered with a peer list', async () => {
      const node = await startNode({ onHandshake: () => undefined });
      const dialled = dial(node);
      await until(() => node.sessions.length > 0 && node.session.received.length === 2);
      await until(() => dialled.peer.clientVersion !== undefined);
      expect(dialled.peer.isReady).toBe(false);
      expect(await rejection(dialled.peer.request(request))).toMatchObject({ code: 'NOT_CONNECTED' });
      node.session.send(EMPTY_PEER_LIST);
      await dialled.ready();
      expect(dialled.peer.isReady).toBe(true);
    });

    it('does not take a peer list for an answer before the node’s own handshake', async () => {
      const node = await startNode({
        onSecure: (session) => session.send(EMPTY_PEER_LIST),
        onHandshake: () => undefined,
      });
      // Long enough for the connection itself, which would be given up in other words.
      const dialled = dial(node, { handshakeTimeoutMs: 6_000 });
      expect(await dialled.end()).toEqual({ kind: 'handshake', text: 'handshake failed: timed out' });
      expect(dialled.readyCalls).toBe(0);
    });

    it('manages with bytes that come one by one', async () => {
      const node = await startNode({
        onSecure: (session) => {
          const bytes = packFrame(encodeMessage(node.handshake()));
          for (const byte of bytes) session.sendBytes(Uint8Array.of(byte));
        },
      });
      await dial(node).ready();
    });

    it('takes a compressed peer list, and hands it on', async () => {
      const other = await startNode();
      const node = await startNode({
        onHandshake: (session) =>
          session.sendBytes(
            packFrame(
              encodeCompressedMessage({ case: 'peerList', value: { claimedIpPorts: [other.claim()] } }),
            ),
          ),
      });
      const { peerLists } = await dial(node).ready();
      expect(peerLists).toHaveLength(1);
      expect(peerLists[0]![0]!.x509Certificate).toEqual(other.identity.certDer);
    });

    it.each<[string, NonNullable<Script['handshake']>, string]>([
      ['of another network', () => ({ networkId: 5 }), 'the node is on network 5'],
      [
        'with a clock 62 s off',
        () => ({ myTime: BigInt(Math.floor(Date.now() / 1000) - 62) }),
        'the clocks differ',
      ],
      ['without a version', () => ({ client: undefined }), 'names no version'],
      ['with 17 subnets', () => ({ trackedSubnets: Array<Uint8Array>(17).fill(chainId) }), '17 subnets'],
      ['with a subnet id of 31 bytes', () => ({ trackedSubnets: [chainId.subarray(1)] }), 'not 32 bytes'],
      ['with conflicting ACPs', () => ({ supportedAcps: [1, 2], objectedAcps: [2] }), 'same ACP'],
      [
        'with an empty filter',
        () => ({ knownPeers: { filter: new Uint8Array(), salt: new Uint8Array() } }),
        'filter',
      ],
      ['with port 0', () => ({ ipPort: 0 }), 'port 0'],
      ['with an address of 5 bytes', () => ({ ipAddr: new Uint8Array(5) }), 'address'],
      ['with an address signed in the future', () => ({ ipSigningTime: 2n ** 63n }), 'signed at'],
      ['with a wrong signature', () => ({ ipNodeIdSig: Uint8Array.of(1, 2, 3) }), 'did not sign'],
      ['without a BLS signature', () => ({ ipBlsSig: new Uint8Array() }), 'BLS'],
    ])('refuses a node %s', async (_, handshake, text) => {
      const end = await dial(await startNode({ handshake })).end();
      expect(end.kind).toBe('handshake');
      expect(end.text).toContain(text);
      expect(end.text).toMatch(/^handshake failed: /);
    });

    it('refuses a node with another identity', async () => {
      const node = await startNode();
      const wanted = TlsIdentity.generate().nodeId;
      const dialled = new Dialled({ ...node.address, nodeId: wanted }, {}, {});
      expect(await dialled.end()).toEqual({
        kind: 'handshake',
        text: `handshake failed: ${node.nodeId} is at this address`,
      });
    });

    it('refuses to speak anything older than TLS 1.3', async () => {
      const end = await dial(
        await startNode({ tls: { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } }),
      ).end();
      expect(end.kind).toBe('handshake');
      expect(end.text).toMatch(/^handshake failed: ERR_SSL/);
    });

    it.each<[string, (socket: Socket) => void]>([
      ['speaks another protocol', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
      ['closes at once', (socket) => socket.destroy()],
    ])('survives what %s', async (_, onConnection) => {
      const port = await listen(onConnection);
      const end = await new Dialled({ nodeId: identity.nodeId, host: '127.0.0.1', port }, {}, {}).end();
      expect(end.text).toMatch(/^handshake failed: /);
    });

    it('gives up on what accepts connections and stays silent', async () => {
      const port = await listen(() => undefined);
      const address = { nodeId: identity.nodeId, host: '127.0.0.1', port };
      const end = await new Dialled(address, { handshakeTimeoutMs: 100 }, {}).end();
      expect(end).toEqual({ kind: 'unreachable', text: 'timed out' });
    });

    it('reports when nobody listens', async () => {
      const node = await ScriptedNode.start();
      const { address } = node;
      await node.close();
      expect(await new Dialled(address, {}, {}).end()).toEqual({ kind: 'unreachable', text: 'refused' });
    });

    it('reports when the node closes before it has accepted us', async () => {
      const node = await startNode({ onHandshake: (session) => session.socket.destroy() });
      const end = await dial(node).end();
      expect(end.kind).toBe('handshake');
      expect(end.text).toMatch(/^handshake failed: (closed by the node|ECONNRESET)$/);
    });

    it('does not dial private addresses unless allowed', async () => {
      const node = await startNode();
      expect(await dial(node, {}, { allowPrivateAddresses: false }).end()).toEqual({
        kind: 'unreachable',
        text: 'private address',
      });
      const named = new Dialled({ ...node.address, host: 'localhost' }, {}, { allowPrivateAddresses: false });
      expect(await named.end()).toMatchObject({ kind: 'unreachable', text: 'private address' });
      expect(node.connections).toBe(0);
      await new Dialled({ ...node.address, host: 'localhost' }, {}, {}).ready();
    });

    it('ends on a second handshake', async () => {
      const node = await startNode();
      const dialled = await dial(node).ready();
      node.session.send(node.handshake());
      expect(await dialled.end()).toEqual({ kind: 'offence', text: 'sent a second handshake' });
    });
  });

  describe('keep-alive', () => {
    it('answers each ping with exactly one pong', async () => {
      const node = await startNode({ onAppRequest: echo });
      const { peer } = await dial(node).ready();
      const ping: P2pMessageInit = { case: 'ping', value: { uptime: 50 } };
      node.session.send(ping, ping, ping, ping, ping);
      await until(() => node.session.all('pong').length === 5);
      await peer.request(request);
      expect(node.session.all('pong')).toHaveLength(5);
    });

    it('sends pings, and no pong that was not asked for', async () => {
      const node = await startNode();
      const dialled = await dial(node, { pingIntervalMs: 20 }).ready();
      await until(() => node.session.all('ping').length >= 3);
      expect(node.session.all('ping').every(({ uptime }) => uptime <= 100)).toBe(true);
      expect(node.session.all('pong')).toEqual([]);
      expect(dialled.ends).toEqual([]);
    });

    it('gives up on a node that answers nothing', async () => {
      const node = await startNode({ onPing: () => undefined });
      const dialled = await dial(node, { pingIntervalMs: 20, idleTimeoutMs: 100 }).ready();
      expect(await dialled.end()).toEqual({ kind: 'lost', text: 'disconnected: silent for too long' });
    });

    it('gives up on a node that starts messages and never ends them', async () => {
      const node = await startNode({ onPing: (session) => session.sendBytes(Uint8Array.of(0)) });
      const dialled = await dial(node, { pingIntervalMs: 10, idleTimeoutMs: 100 }).ready();
      node.session.sendBytes(packFrame(new Uint8Array(1000)).subarray(0, 10));
      expect(await dialled.end()).toMatchObject({ kind: 'lost' });
    });

    it('overlooks a pong too many', async () => {
      const node = await startNode({ onAppRequest: echo });
      const { peer } = await dial(node).ready();
      node.session.send(PONG, PONG);
      expect(await peer.request(request)).toEqual(request.appBytes);
    });
  });

  describe('hostile bytes', () => {
    const flood = { unaskedMessages: { burst: 50, perSecond: 1 } };

    it.each<[string, Uint8Array]>([
      ['noise', Uint8Array.from({ length: 100 }, (_, i) => i * 37)],
      ['an empty message', new Uint8Array()],
      ['gossip', encodeMessage({ case: 'appGossip', value: { chainId, appBytes: new Uint8Array(1000) } })],
      ['a message that only nodes need', Uint8Array.of(0x7a, 2, 8, 1)],
      ['a message of simplex consensus', Uint8Array.of(0xa2, 2, 2, 0x12, 0)],
      ['a message of a kind that is yet to come', Uint8Array.of(0xaa, 2, 2, 8, 1)],
      [
        'a request to us',
        encodeMessage({ case: 'appRequest', value: { chainId, requestId: 2, deadline: 1n } }),
      ],
      ['compressed noise', Uint8Array.of(0x12, 3, 1, 2, 3)],
      ['a bomb', bombMessage()],
    ])('passes over %s', async (_, bytes) => {
      const node = await startNode({ onAppRequest: echo });
      const { peer } = await dial(node).ready();
      node.session.sendBytes(packFrame(bytes));
      expect(await peer.request(request)).toEqual(request.appBytes);
    });

    it('ends on a message that is announced too large', async () => {
      const node = await startNode();
      const dialled = await dial(node).ready();
      node.session.sendBytes(Uint8Array.of(0, 0x20, 0, 1));
      expect(await dialled.end()).toEqual({
        kind: 'offence',
        text: `a message of ${MAX_MESSAGE_BYTES + 1} bytes was announced`,
      });
    });

    it.each<[string, P2pMessageInit]>([
      ['pings', { case: 'ping', value: {} }],
      ['pongs', PONG],
      ['answers', answer(1, chainId)],
      ['peer lists', EMPTY_PEER_LIST],
      ['gossip', { case: 'appGossip', value: { chainId } }],
    ])('ends on a flood of %s', async (_, message) => {
      const node = await startNode();
      const dialled = await dial(node, flood).ready();
      node.session.send(...Array<P2pMessageInit>(60).fill(message));
      expect(await dialled.end()).toEqual({ kind: 'offence', text: 'sent too many messages' });
    });

    it('ends on a flood of messages that are none', async () => {
      const node = await startNode();
      const dialled = await dial(node, flood).ready();
      node.session.sendBytes(new Uint8Array(60 * FRAME_HEADER_BYTES));
      expect(await dialled.end()).toMatchObject({ kind: 'offence' });
    });

    it('does not take answers that it waits for as a flood', async () => {
      const node = await startNode({ onAppRequest: echo });
      const { peer } = await dial(node, flood).ready();
      await Promise.all(Array.from({ length: 300 }, () => peer.request(request)));
      expect(peer.isReady).toBe(true);
    });

    it('ends on too many bytes, counted as they are after expansion', async () => {
      const limits = { inboundBytes: { burst: 300_000, perSecond: 1 } };
      const plain = await startNode();
      const dialled = await dial(plain, limits).ready();
      plain.session.sendBytes(packFrame(new Uint8Array(400_000)));
      expect(await dialled.end()).toEqual({ kind: 'offence', text: 'sent too many bytes' });

      const compressed = await startNode();
      const other = await dial(compressed, limits).ready();
      for (let i = 0; i < 4; i++) compressed.session.sendBytes(packFrame(compressedZeros(100_000)));
      expect(await other.end()).toEqual({ kind: 'offence', text: 'sent too many bytes' });
    });

    it('ends on a flood of TLS records, however little is in them', async () => {
      const node = await startNode();
      const dialled = await dial(node, { inboundBytes: { burst: 100_000, perSecond: 1 } }).ready();
      const { socket } = node.session;
      for (const byte of packFrame(new Uint8Array(2_000))) {
        // Messages that are written before the last write is over go into one record with it.
        await new Promise((resolve) => socket.write(Uint8Array.of(byte), resolve));
        if (dialled.ends.length > 0) break;
      }
      expect(await dialled.end()).toEqual({ kind: 'offence', text: 'sent too many bytes' });
    });

    it('ends when unfinished messages take more memory than all connections have', async () => {
      const node = await startNode();
      // One message takes less than twice its bytes, two take more.
      const memory = new InboundMemory(2 * 150_000 - 1);
      const first = await dial(node, {}, { memory }).ready();
      const firstSession = node.session;
      const second = await dial(node, {}, { memory }).ready();
      const unfinished = packFrame(new Uint8Array(MAX_MESSAGE_BYTES)).subarray(0, 150_000);
      firstSession.sendBytes(unfinished);
      node.session.sendBytes(unfinished);
      await until(() => first.ends.length + second.ends.length > 0);
      const [end] = [...first.ends, ...second.ends];
      expect(end).toEqual({ kind: 'lost', text: 'disconnected: no memory for more unfinished messages' });
      expect([first.peer.isReady, second.peer.isReady].filter(Boolean)).toHaveLength(1);
    });

    it('looks at peer lists only when it asked for one', async () => {
      const node = await startNode({ onAppRequest: echo });
      const { peer, peerLists } = await dial(node).ready();
      expect(peerLists).toHaveLength(1);
      const list: P2pMessageInit = { case: 'peerList', value: { claimedIpPorts: [node.claim()] } };
      node.session.send(list, list);
      await peer.request(request);
      expect(peerLists).toHaveLength(1);
      peer.askForPeers({ filter: new Uint8Array([1, ...new Uint8Array(9)]), salt: new Uint8Array(32) });
      await until(() => node.session.all('getPeerList').length === 1);
      expect(node.session.all('getPeerList')[0]!.knownPeers!.filter).toHaveLength(10);
      node.session.send(list, list);
      await peer.request(request);
      expect(peerLists).toHaveLength(2);
    });
  });
});

/** A frame of zstd with one block that repeats a byte, wrapped. */
function compressedZeros(length: number): Uint8Array {
  const header = (length << 3) | 3;
  return Uint8Array.of(
    0x12,
    10,
    0x28,
    0xb5,
    0x2f,
    0xfd,
    0,
    0x58,
    header & 255,
    (header >> 8) & 255,
    header >> 16,
    0,
  );
}

/** Some hundred bytes that want to become some hundred megabytes. */
function bombMessage(): Uint8Array {
  const block = compressedZeros(128 * 1024).subarray(8);
  block[0] = block[0]! & 0xfe;
  const frame = Buffer.concat([
    Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, 0x58),
    ...Array<Uint8Array>(28).fill(block),
  ]);
  return Buffer.concat([Uint8Array.of(0x12, frame.length), frame]);
}

async function listen(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestEnd(async () => {
    sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return port;
}
