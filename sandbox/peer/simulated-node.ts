import { create } from '@bufbuild/protobuf';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer, type TLSSocket } from 'node:tls';
import { AvalancheError } from '../../src/avalanche/avalanche.error.js';
import { nodeIdFromString, nodeIdToString } from '../../src/avalanche/ids/node-id.js';
import { makeGossipId } from '../../src/avalanche/p2p/peer/peer-list-claim.js';
import { makeHandshake, type SignedIp } from '../../src/avalanche/p2p/peer/handshake.js';
import type { P2pMessageInit } from '../../src/avalanche/p2p/messages/p2p-message.js';
import { packUnsignedIp } from '../../src/avalanche/p2p/peer/signed-ip.js';
import {
  type AppRequest,
  type ClaimedIpPort,
  ClaimedIpPortSchema,
} from '../../src/avalanche/proto/generated/p2p_pb.js';
import { parseStakingCertificate } from '../../src/avalanche/staking/certificate.js';
import { type Behaviour, isReachable } from '../behaviour.js';
import type { ChainBehaviour } from '../chain-behaviour.js';
import type { NodeIdentity } from '../world/validator-node.js';
import type { Version } from '../world/versions.js';
import type { World } from '../world/world.js';
import { AppRequestResponder } from './app-request-responder.js';
import { ChainResponder, type ServedChains } from './chain-responder.js';
import { type KnownPeers, MAX_PEER_LIST_ENTRIES, sample } from './peer-list.js';
import { DistantSocket } from './distant-socket.js';
import { startGossip } from './misconduct.js';
import { type ChainRequest, PeerSession, type RemotePeer, type SessionHost } from './peer-session.js';

/** Of the latest upgrade that a local network has scheduled. */
export const UPGRADE_TIME_SECONDS = 1_607_144_400n;

/**
 * Who announces the address of a node: `public` are the API node's info.peers and the gossip of all, `gossiped` the gossip alone,
 * `gossiped-on-l1` that of the L1's validators only, `none` nobody.
 */
export type AddressKnowledge = 'public' | 'gossiped' | 'gossiped-on-l1' | 'none';

const TLS_HANDSHAKE_TIMEOUT_MS = 15_000;
const LISTEN_BACKLOG = 1024;

export interface SimulatedNodeOptions extends ServedChains {
  readonly identity: NodeIdentity;
  readonly world: World;
  /** Address to bind to. */
  readonly host: string;
  /** IPv4 address to announce. */
  readonly publicIp: string;
  /** Nodes whose addresses this one gives away. */
  readonly gossip: () => readonly SimulatedNode[];
  readonly behaviour: Behaviour;
  /** Between this node and its clients; 0 for as fast as loopback is. */
  readonly roundTripMs: number;
  /** Nodes that announce its address. */
  readonly address: AddressKnowledge;
}

/** Connections and requests that a node has seen, for tests that ask who was asked. */
export interface NodeCounters {
  /** TCP connections, also those that came to nothing. */
  connections: number;
  /** Handshakes that were completed. */
  handshakes: number;
  appRequests: number;
  /** Answers with signature bytes, good or bad. */
  signatures: number;
  /** Answers with an error. */
  refusals: number;
  /** Questions about its chains, answered or not. */
  chainRequests: number;
  /** Sent in answers to them. */
  containers: number;
}

/** One simulated node with a port of its own; speaks the peer-to-peer protocol to any client. */
export class SimulatedNode implements SessionHost {
  readonly counters: NodeCounters = {
    connections: 0,
    handshakes: 0,
    appRequests: 0,
    signatures: 0,
    refusals: 0,
    chainRequests: 0,
    containers: 0,
  };
  private readonly responder: AppRequestResponder;
  private readonly chainResponder: ChainResponder;
  private readonly sessions = new Map<string, PeerSession>();
  private readonly sockets = new Set<Socket>();
  private readonly timestampSeconds = BigInt(Math.floor(Date.now() / 1000));
  private listener: Server | undefined;
  private admittedAtMs = -Infinity;
  private gossiping: NodeJS.Timeout | undefined;
  private ownGossipId: Uint8Array | undefined;
  private tlsServer: TlsServer | undefined;
  private boundPort = 0;
  private applied = Promise.resolve();
  private signedIp: SignedIp | undefined;
  private claim: ClaimedIpPort | undefined;

  constructor(private readonly options: SimulatedNodeOptions) {
    this.responder = new AppRequestResponder(options, this.counters);
    this.chainResponder = new ChainResponder(options, this.counters);
  }

  get nodeId(): string {
    return this.options.identity.nodeId;
  }

  get networkId(): number {
    return this.options.world.networkId;
  }

  get versionFloor(): Version {
    return this.options.world.versions.floor;
  }

  get roundTripMs(): number {
    return this.options.roundTripMs;
  }

  get addressKnowledge(): AddressKnowledge {
    return this.options.address;
  }

  /** Node ids of the clients that are greeted and still there. */
  get readyClients(): string[] {
    return [...this.sessions].flatMap(([nodeId, session]) => (session.isReady ? [nodeId] : []));
  }

  /** Whether the API node is connected to it and announces its address. */
  get isListed(): boolean {
    return this.options.address === 'public' && isReachable(this.behaviour);
  }

  get port(): number {
    return this.boundPort;
  }

  /** `host:port` as nodes print it. */
  get address(): string {
    return `${this.options.publicIp}:${this.port}`;
  }

  get behaviour(): Behaviour {
    return this.responder.behaviour;
  }

  get chainBehaviour(): ChainBehaviour {
    return this.chainResponder.behaviour;
  }

  /** The bytes that filters of known peers contain for this node. */
  get gossipId(): Uint8Array {
    // Looked at a thousand times for every handshake.
    this.ownGossipId ??= makeGossipId(nodeIdFromString(this.nodeId), this.timestampSeconds);
    return this.ownGossipId;
  }

  /** Takes connections, unless it is not to; on the same port as before when it did so once. */
  async start(): Promise<void> {
    await this.listen();
    this.setBehaviour(this.behaviour);
    await this.applied;
  }

  private async listen(): Promise<void> {
    if (this.listener !== undefined) return;
    const listener = createServer((socket) => this.accept(socket));
    this.listener = listener;
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      listener.listen({ port: this.boundPort, host: this.options.host, backlog: LISTEN_BACKLOG }, resolve);
    });
    this.boundPort = portOf(listener);
  }

  /** Takes effect at once, also for requests that are being answered slowly; only opening the port again takes a moment. */
  setBehaviour(behaviour: Behaviour): void {
    const wasBlackHole = this.behaviour.kind === 'black-hole';
    this.responder.setBehaviour(behaviour);
    // A node that can be heard again knows nothing of the connections that it left unanswered.
    if (wasBlackHole || !isReachable(behaviour)) this.disconnectAll();
    if (behaviour.kind === 'black-hole') for (const session of this.sessions.values()) session.mute();
    clearInterval(this.gossiping);
    if (behaviour.kind === 'gossip') {
      this.gossiping = startGossip(() => this.sessions.values(), behaviour.bytesPerSecond);
    }
    const isListening = behaviour.kind !== 'not-listening';
    this.applied = this.applied.then(() => (isListening ? this.listen() : this.stopListening()));
  }

  setChainBehaviour(behaviour: ChainBehaviour): void {
    this.chainResponder.setBehaviour(behaviour);
  }

  async stop(): Promise<void> {
    await this.applied;
    clearInterval(this.gossiping);
    this.responder.stop();
    this.chainResponder.stop();
    await this.stopListening();
  }

  makeHandshake(): P2pMessageInit {
    const { world } = this.options;
    const handshake = makeHandshake({
      networkId: this.networkId,
      nowSeconds: BigInt(Math.floor(Date.now() / 1000)),
      signedIp: (this.signedIp ??= this.signIp()),
      clientVersion: world.versions.node,
      trackedSubnets: world.tracksL1(this.nodeId) ? [world.l1.subnetId] : [],
      upgradeTimeSeconds: UPGRADE_TIME_SECONDS,
      allSubnets: false,
    });
    return { case: 'handshake', value: handshake };
  }

  addressesFor(nodeId: string, isKnown: KnownPeers): ClaimedIpPort[] {
    const isWanted = (node: SimulatedNode) =>
      node.nodeId !== nodeId && this.announces(node) && !isKnown(node.gossipId);
    return sample(this.options.gossip(), MAX_PEER_LIST_ENTRIES, isWanted).map((node) => node.claimedIpPort());
  }

  onHandshakeFinished(): void {
    this.counters.handshakes += 1;
  }

  onAppRequest(session: PeerSession, request: AppRequest): void {
    this.responder.respond(session, request);
  }

  onChainRequest(session: PeerSession, request: ChainRequest): void {
    this.chainResponder.respond(session, request);
  }

  claimedIpPort(): ClaimedIpPort {
    const { tls } = this.options.identity;
    const ip = ipBytes(this.options.publicIp);
    this.claim ??= create(ClaimedIpPortSchema, {
      x509Certificate: tls.certDer,
      ipAddr: ip,
      ipPort: this.port,
      timestamp: this.timestampSeconds,
      signature: tls.sign(packUnsignedIp({ ip, port: this.port, timestampSeconds: this.timestampSeconds })),
    });
    return this.claim;
  }

  /** Makes what is otherwise made for the first connection, and what real nodes made long ago. It listens. */
  prepare(): void {
    this.tlsServer ??= this.makeTlsServer();
    this.signedIp ??= this.signIp();
    this.claimedIpPort();
  }

  /** Closes the connections of clients that claim less than the floor. */
  checkVersions(): void {
    for (const session of this.sessions.values()) session.checkVersion();
  }

  private announces(node: SimulatedNode): boolean {
    if (!isReachable(node.behaviour)) return false;
    switch (node.addressKnowledge) {
      case 'public':
      case 'gossiped':
        return true;
      case 'gossiped-on-l1':
        return this.options.world.tracksL1(this.nodeId);
      case 'none':
        return false;
    }
  }

  private admits(nowMs: number): boolean {
    const { behaviour } = this;
    if (behaviour.kind !== 'throttle') return true;
    if (nowMs - this.admittedAtMs < behaviour.everyMs) return false;
    this.admittedAtMs = nowMs;
    return true;
  }

  private accept(socket: Socket): void {
    this.counters.connections += 1;
    socket.on('error', () => socket.destroy());
    if (this.behaviour.kind === 'refuse-connections' || !this.admits(performance.now())) {
      socket.destroy();
      return;
    }
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    if (this.behaviour.kind === 'black-hole') {
      socket.resume(); // unread bytes would hide that the other side has closed
      return;
    }
    this.tlsServer ??= this.makeTlsServer();
    const { roundTripMs } = this.options;
    this.tlsServer.emit('connection', roundTripMs > 0 ? new DistantSocket(socket, roundTripMs) : socket);
  }

  /** Made for the first connection: a sandbox of a thousand starts faster when the contexts come later. */
  private makeTlsServer(): TlsServer {
    const { certPem, keyPem } = this.options.identity.tls;
    const server = createTlsServer({
      cert: certPem,
      key: keyPem,
      minVersion: 'TLSv1.3',
      requestCert: true,
      // Any certificate will do: what counts is which key the other side has.
      rejectUnauthorized: false,
      handshakeTimeout: TLS_HANDSHAKE_TIMEOUT_MS,
    });
    server.on('secureConnection', (socket) => this.startSession(socket));
    server.on('tlsClientError', (_, socket) => socket.destroy());
    return server;
  }

  private startSession(socket: TLSSocket): void {
    const remote = identify(socket);
    if (remote === undefined || this.sessions.has(remote.nodeId) || remote.nodeId === this.nodeId) {
      // Also for a second connection of one node: the first stays.
      socket.on('error', () => undefined);
      socket.destroy();
      return;
    }
    const session = new PeerSession(socket, remote, this);
    this.sessions.set(remote.nodeId, session);
    socket.once('close', () => {
      if (this.sessions.get(remote.nodeId) === session) this.sessions.delete(remote.nodeId);
    });
  }

  private signIp(): SignedIp {
    const { identity, publicIp } = this.options;
    const address = { ip: ipBytes(publicIp), port: this.port, timestampSeconds: this.timestampSeconds };
    const bytes = packUnsignedIp(address);
    return {
      ...address,
      tlsSignature: identity.tls.sign(bytes),
      blsSignature: identity.signer.signAddress(bytes),
    };
  }

  private disconnectAll(): void {
    for (const session of this.sessions.values()) session.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private async stopListening(): Promise<void> {
    const { listener } = this;
    this.listener = undefined;
    if (listener === undefined) return;
    this.disconnectAll();
    await new Promise<void>((resolve) => listener.close(() => resolve()));
  }
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('not a TCP server that listens');
  return address.port;
}

/** The node at the other end, or undefined when a node would not talk to them. */
function identify(socket: TLSSocket): RemotePeer | undefined {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return undefined;
  try {
    const { nodeId, publicKey } = parseStakingCertificate(certificate.raw);
    return { nodeId: nodeIdToString(nodeId), publicKey };
  } catch (error) {
    if (error instanceof AvalancheError) return undefined;
    throw error;
  }
}

function ipBytes(ipv4: string): Uint8Array {
  return Uint8Array.from(ipv4.split('.'), Number);
}
