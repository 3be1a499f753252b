import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls';
import type { ClaimedIpPort } from '../../../src/avalanche/proto/generated/p2p_pb.js';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { ClaimedIpPortSchema, type HandshakeSchema } from '../../../src/avalanche/proto/generated/p2p_pb.js';
import type { PeerAddress } from '../../../src/avalanche/p2p/network/address.js';
import { makeHandshake } from '../../../src/avalanche/p2p/peer/handshake.js';
import { FrameReader, packFrame } from '../../../src/avalanche/p2p/messages/message-framing.js';
import {
  decodeMessage,
  encodeMessage,
  type P2pMessage,
  type P2pMessageInit,
} from '../../../src/avalanche/p2p/messages/p2p-message.js';
import { packUnsignedIp } from '../../../src/avalanche/p2p/peer/signed-ip.js';
import { TlsIdentity } from '../../../src/avalanche/p2p/peer/tls-identity.js';

export const TEST_NETWORK_ID = 12345;
const LOOPBACK_IP = Uint8Array.of(127, 0, 0, 1);

type KnownKind = Exclude<P2pMessage['case'], 'unknown'>;
type ValueOf<Kind extends KnownKind> = Extract<P2pMessage, { case: Kind; value: unknown }>['value'];

/** Deviations that a test wants; everything left out is done as a node does it. */
export interface Script {
  identity?: TlsIdentity;
  port?: number;
  tls?: TlsOptions;
  /** Instead of beginning with TLS. */
  onConnection?: (socket: Socket) => void;
  /** Instead of sending the Handshake. */
  onSecure?: (session: Session) => void;
  /** Changes to the Handshake. */
  handshake?: () => MessageInitShape<typeof HandshakeSchema>;
  /** Instead of answering the other side's Handshake with a PeerList. */
  onHandshake?: (session: Session) => void;
  onAppRequest?: ((request: ValueOf<'appRequest'>, session: Session) => void) | undefined;
  /** For the questions of chains. */
  onChainQuestion?: (message: P2pMessage, session: Session) => void;
  onPing?: (session: Session) => void;
  onGetPeerList?: (session: Session) => void;
}

/** One connection as the scripted node sees it. */
export class Session {
  readonly received: P2pMessage[] = [];
  isClosed = false;
  private readonly reader = new FrameReader();

  constructor(
    readonly socket: TLSSocket,
    private readonly node: ScriptedNode,
  ) {
    socket.on('data', (chunk: Buffer) => this.onData(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => (this.isClosed = true));
  }

  send(...messages: P2pMessageInit[]): void {
    this.sendBytes(Buffer.concat(messages.map((message) => packFrame(encodeMessage(message)))));
  }

  sendBytes(bytes: Uint8Array): void {
    this.socket.write(bytes);
  }

  /** All received messages of one kind. */
  all<Kind extends KnownKind>(kind: Kind): ValueOf<Kind>[] {
    const ofKind = this.received.filter((message) => message.case === kind);
    return ofKind.map((message) => (message as { value: unknown }).value as ValueOf<Kind>);
  }

  private onData(chunk: Buffer): void {
    for (const bytes of this.reader.push(chunk)) {
      const message = decodeMessage(bytes);
      this.received.push(message);
      this.node.onMessage(message, this);
    }
  }
}

/** A node on loopback that a test controls. Only for specs. */
export class ScriptedNode {
  readonly sessions: Session[] = [];
  readonly identity: TlsIdentity;
  /** TCP connections so far, also those that never got through TLS. */
  connections = 0;
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  private constructor(private readonly script: Script) {
    this.identity = script.identity ?? TlsIdentity.generate();
    const tlsServer = createTlsServer(
      {
        cert: this.identity.certPem,
        key: this.identity.keyPem,
        requestCert: true,
        rejectUnauthorized: false,
        minVersion: 'TLSv1.3',
        ...script.tls,
      },
      (socket) => this.onSecure(socket),
    );
    tlsServer.on('tlsClientError', () => undefined);
    this.server = createServer((socket) => {
      this.connections += 1;
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket)).on('error', () => undefined);
      if (script.onConnection === undefined) tlsServer.emit('connection', socket);
      else script.onConnection(socket);
    });
  }

  static async start(script: Script = {}): Promise<ScriptedNode> {
    const node = new ScriptedNode(script);
    await new Promise<void>((resolve, reject) => {
      node.server.once('error', reject);
      node.server.listen(script.port ?? 0, '127.0.0.1', resolve);
    });
    return node;
  }

  get nodeId(): string {
    return this.identity.nodeId;
  }

  get port(): number {
    const address = this.server.address();
    return isAddressInfo(address) ? address.port : 0;
  }

  get address(): PeerAddress {
    return { nodeId: this.nodeId, host: '127.0.0.1', port: this.port };
  }

  /** The latest connection. */
  get session(): Session {
    const session = this.sessions.at(-1);
    if (session === undefined) {
      throw new Error('nobody has connected');
    }
    return session;
  }

  get openSessions(): number {
    return this.sessions.filter(({ isClosed }) => !isClosed).length;
  }

  /** Our address, signed, as others gossip it. */
  claim(timestampSeconds = BigInt(Math.floor(Date.now() / 1000)), port = this.port): ClaimedIpPort {
    const bytes = packUnsignedIp({ ip: LOOPBACK_IP, port, timestampSeconds });
    return create(ClaimedIpPortSchema, {
      x509Certificate: this.identity.certDer,
      ipAddr: LOOPBACK_IP,
      ipPort: port,
      timestamp: timestampSeconds,
      signature: this.identity.sign(bytes),
    });
  }

  handshake(): P2pMessageInit {
    const timestampSeconds = 1_600_000_000n;
    const address = { ip: LOOPBACK_IP, port: 9651, timestampSeconds };
    const {
      $typeName: _,
      $unknown: __,
      ...value
    } = makeHandshake({
      networkId: TEST_NETWORK_ID,
      nowSeconds: BigInt(Math.floor(Date.now() / 1000)),
      signedIp: {
        ...address,
        tlsSignature: this.identity.sign(packUnsignedIp(address)),
        // A client looks at its length only, and signing takes 20 ms.
        blsSignature: new Uint8Array(96),
      },
      clientVersion: { name: 'avalanchego', major: 1, minor: 15, patch: 0 },
      trackedSubnets: [],
      allSubnets: false,
    });
    return { case: 'handshake', value: { ...value, ...this.script.handshake?.() } };
  }

  onMessage(message: P2pMessage, session: Session): void {
    switch (message.case) {
      case 'handshake':
        (this.script.onHandshake ?? sendEmptyPeerList)(session);
        return;
      case 'ping':
        (this.script.onPing ?? sendPong)(session);
        return;
      case 'appRequest':
        this.script.onAppRequest?.(message.value, session);
        return;
      case 'getPeerList':
        this.script.onGetPeerList?.(session);
        return;
      default:
        this.script.onChainQuestion?.(message, session);
    }
  }

  async close(): Promise<void> {
    this.sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => this.server.close(resolve));
  }

  private onSecure(socket: TLSSocket): void {
    socket.setNoDelay(true);
    const session = new Session(socket, this);
    this.sessions.push(session);
    if (this.script.onSecure === undefined) {
      session.send(this.handshake());
    } else {
      this.script.onSecure(session);
    }
  }
}

function sendEmptyPeerList(session: Session): void {
  session.send({ case: 'peerList', value: {} });
}

function sendPong(session: Session): void {
  session.send({ case: 'pong', value: {} });
}

function isAddressInfo(address: string | AddressInfo | null): address is AddressInfo {
  return address !== null && typeof address !== 'string';
}

/** Waits for a condition that other events bring about. */
export async function until(
  condition: () => boolean,
  description = 'the condition',
  timeoutMs = 25_000,
): Promise<void> {
  const endMs = Date.now() + timeoutMs;
  while (!condition()) {
    if (Date.now() > endMs) {
      throw new Error(`${description} did not come true within ${timeoutMs} ms`);
    }
    await delay(2);
  }
}
