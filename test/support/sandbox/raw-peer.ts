import { create } from '@bufbuild/protobuf';
import { connect, type TLSSocket } from 'node:tls';
import { noble } from '../../../src/avalanche/bls/noble.js';
import { makeHandshake, type SignedIp, signIp } from '../../../src/avalanche/p2p/peer/handshake.js';
import { FrameReader, packFrame } from '../../../src/avalanche/p2p/messages/message-framing.js';
import {
  decodeMessage,
  encodeMessage,
  type P2pMessage,
  type P2pMessageInit,
} from '../../../src/avalanche/p2p/messages/p2p-message.js';
import { packSignatureRequest } from '../../../src/avalanche/p2p/messages/acp118.js';
import { TlsIdentity } from '../../../src/avalanche/p2p/peer/tls-identity.js';
import { type Handshake, HandshakeSchema } from '../../../src/avalanche/proto/generated/p2p_pb.js';

type Kind = Exclude<P2pMessage['case'], 'unknown'>;
type ValueOf<K extends Kind> = Extract<P2pMessage, { case: K }>['value'];

/** A client that sends exactly the bytes of a test, right or wrong; the service's own client would not. */
export class RawPeer {
  readonly received: P2pMessage[] = [];
  readonly frames: Uint8Array[] = [];
  readonly closed: Promise<void>;
  private readonly reader = new FrameReader();
  private waiting: (() => void)[] = [];
  private isClosed = false;

  private constructor(
    readonly socket: TLSSocket,
    readonly identity: TlsIdentity,
  ) {
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.isClosed = true;
        resolve();
        this.wake();
      });
    });
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      for (const frame of this.reader.push(chunk)) {
        this.frames.push(frame);
        this.received.push(decodeMessage(frame));
      }
      this.wake();
    });
  }

  static async connect(
    address: string,
    identity = TlsIdentity.generate(),
    options: object = {},
  ): Promise<RawPeer> {
    const [host = '', port = ''] = address.split(':');
    const socket = connect({
      host,
      port: Number(port),
      cert: identity.certPem,
      key: identity.keyPem,
      rejectUnauthorized: false,
      ...options,
    });
    const peer = new RawPeer(socket, identity);
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve);
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('closed before TLS was set up')));
    });
    return peer;
  }

  /** Connected as a well-behaved client is. */
  static async greeted(address: string, identity?: TlsIdentity): Promise<RawPeer> {
    const peer = await RawPeer.connect(address, identity);
    peer.send(peer.handshake());
    await peer.next('handshake');
    await peer.next('peerList');
    peer.send({ case: 'peerList', value: {} });
    return peer;
  }

  /** A correct handshake, with the fields given changed. */
  handshake(changes: Partial<Omit<Handshake, '$typeName'>> = {}, ip: Partial<SignedIp> = {}): P2pMessageInit {
    const nowSeconds = BigInt(Math.floor(Date.now() / 1000));
    const address = { ip: Uint8Array.of(0, 0, 0, 0), port: 1, timestampSeconds: nowSeconds, ...ip };
    const secretKey = noble.secretKeyFromBytes(new Uint8Array(32).fill(7));
    const correct = makeHandshake({
      networkId: 12_345,
      nowSeconds,
      signedIp: { ...signIp(address, this.identity, secretKey), ...ip },
      clientVersion: { name: 'test', major: 1, minor: 15, patch: 0 },
      trackedSubnets: [],
      allSubnets: true,
    });
    return { case: 'handshake', value: create(HandshakeSchema, { ...correct, ...changes }) };
  }

  send(message: P2pMessageInit): void {
    this.socket.write(packFrame(encodeMessage(message)));
  }

  /** Asks for a signature; the answer comes as another message. */
  request(options: {
    chainId: Uint8Array;
    message: Uint8Array;
    justification?: Uint8Array;
    requestId?: number;
  }): void {
    const { chainId, message, justification = new Uint8Array(), requestId = 1 } = options;
    const appBytes = packSignatureRequest({ message, justification });
    this.send({ case: 'appRequest', value: { chainId, requestId, deadline: 10_000_000_000n, appBytes } });
  }

  /** The first message of a kind that was not taken yet. */
  async next<K extends Kind>(kind: K): Promise<ValueOf<K>> {
    for (;;) {
      const index = this.received.findIndex((message) => message.case === kind);
      const [found] = index < 0 ? [] : this.received.splice(index, 1);
      if (found !== undefined && 'value' in found) return found.value as ValueOf<K>;
      if (this.isClosed) throw new Error(`closed while waiting for ${kind}`);
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  /** Fails when the node has closed, otherwise answers when it has reacted to everything that was sent before. */
  async roundTrip(): Promise<void> {
    this.send({ case: 'ping', value: { uptime: 100 } });
    await this.next('pong');
  }

  close(): void {
    this.socket.destroy();
  }

  private wake(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
