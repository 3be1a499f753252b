import { create } from '@bufbuild/protobuf';
import type { KeyObject } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { bls, BlsError } from '../../src/avalanche/bls/bls.js';
import {
  compareVersions,
  HandshakeError,
  validateHandshake,
} from '../../src/avalanche/p2p/peer/handshake.js';
import { FrameReader, packFrame } from '../../src/avalanche/p2p/messages/message-framing.js';
import {
  decodeMessage,
  encodeCompressedMessage,
  encodeMessage,
  type P2pMessage,
  type P2pMessageInit,
} from '../../src/avalanche/p2p/messages/p2p-message.js';
import { P2pError } from '../../src/avalanche/p2p/p2p.error.js';
import {
  type AppRequest,
  BloomFilterSchema,
  type ClaimedIpPort,
  type GetPeerList,
  type Handshake,
  type PeerList,
} from '../../src/avalanche/proto/generated/p2p_pb.js';
import type { Version } from '../world/versions.js';
import { assertClaims, type KnownPeers, OffenceError, readKnownPeers } from './peer-list.js';

/** A node closes when it has heard nothing for that long (avalanchego v1.15.0 network defaults). */
const PONG_TIMEOUT_MS = 30_000;
const PING_INTERVAL_MS = 22_500;
const MAX_UPTIME_PERCENT = 100;

/** Nodes of v1.15.0 are compatible with no other major version (version/constants.go). */
const MAXIMUM_CLIENT_MAJOR = 1;

/** Kinds that nodes never compress. */
const UNCOMPRESSED_KINDS: ReadonlySet<P2pMessageInit['case']> = new Set([
  'ping',
  'pong',
  'handshake',
  'accepted',
  'chits',
]);

/** The questions about a chain that nodes answer. */
export type ChainRequest = Extract<
  P2pMessage,
  { case: 'getAccepted' | 'getAncestors' | 'get' | 'pullQuery' }
>;

export interface RemotePeer {
  readonly nodeId: string;
  /** Of the certificate the connection was made with. */
  readonly publicKey: KeyObject;
}

/** The node that a session belongs to. */
export interface SessionHost {
  readonly networkId: number;
  /** The lowest version of a client that is not disconnected. */
  readonly versionFloor: Version;
  makeHandshake(): P2pMessageInit;
  /** Addresses that this peer does not know yet, at most fifteen. */
  addressesFor(nodeId: string, known: KnownPeers): ClaimedIpPort[];
  onHandshakeFinished(): void;
  onAppRequest(session: PeerSession, request: AppRequest): void;
  onChainRequest(session: PeerSession, request: ChainRequest): void;
}

/**
 * One connection as a node sees it (avalanchego v1.15.0 network/peer/peer.go): sends its Handshake unprompted, answers
 * the other's with a PeerList, and takes requests only after the other's PeerList. Closes, without a word, on whatever
 * a node closes on; messages of legal length that cannot be read are skipped.
 */
export class PeerSession {
  private readonly reader = new FrameReader();
  private readonly idle: NodeJS.Timeout;
  private readonly pinging: NodeJS.Timeout;
  private handshake: Handshake | undefined;
  private finishedHandshake = false;
  private awaitsPong = false;
  private isMute = false;

  constructor(
    readonly socket: TLSSocket,
    readonly remote: RemotePeer,
    private readonly host: SessionHost,
  ) {
    socket.setNoDelay(true);
    this.idle = setTimeout(() => this.close(), PONG_TIMEOUT_MS);
    this.pinging = setInterval(() => this.ping(), PING_INTERVAL_MS);
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('error', () => this.close());
    socket.on('close', () => this.close());
    this.send(host.makeHandshake());
  }

  get isClosed(): boolean {
    return this.socket.destroyed;
  }

  /** Whether both sides have greeted each other: requests are answered from now on. */
  get isReady(): boolean {
    return this.finishedHandshake && !this.isClosed && !this.isMute;
  }

  /** Reads and sends nothing any more, and stays open. */
  mute(): void {
    this.isMute = true;
    this.stopTimers();
  }

  /** Ends when the client claims to be older than the floor, as nodes do with every ping. */
  checkVersion(): void {
    const client = this.handshake?.client;
    if (client !== undefined && compareVersions(client, this.host.versionFloor) < 0) this.close();
  }

  /** Compresses what nodes compress. Returns false when the connection takes no more for now. */
  send(message: P2pMessageInit): boolean {
    const encode = UNCOMPRESSED_KINDS.has(message.case) ? encodeMessage : encodeCompressedMessage;
    return this.write(packFrame(encode(message)));
  }

  /** Puts bytes on the connection as they are. */
  write(bytes: Uint8Array): boolean {
    return !this.isClosed && !this.isMute && this.socket.write(bytes);
  }

  close(): void {
    this.stopTimers();
    this.reader.clear();
    this.socket.destroy();
  }

  private stopTimers(): void {
    clearTimeout(this.idle);
    clearInterval(this.pinging);
  }

  private ping(): void {
    this.awaitsPong = true;
    this.send({ case: 'ping', value: { uptime: MAX_UPTIME_PERCENT } });
  }

  private receive(chunk: Buffer): void {
    if (this.isMute) return;
    try {
      for (const bytes of this.reader.push(chunk)) {
        this.idle.refresh();
        this.handle(decodeOrSkip(bytes));
        if (this.isClosed) return;
      }
    } catch (error) {
      if (!isOffence(error)) throw error;
      this.close();
    }
  }

  /** Throws what `isOffence` recognises. */
  private handle(message: P2pMessage | undefined): void {
    switch (message?.case) {
      case 'ping':
        return this.handlePing(message.value.uptime);
      case 'pong':
        return this.handlePong();
      case 'handshake':
        return this.handleHandshake(message.value);
      case 'peerList':
        return this.handlePeerList(message.value);
      case 'getPeerList':
        return this.handleGetPeerList(message.value);
      case 'appRequest':
        if (this.finishedHandshake) this.host.onAppRequest(this, message.value);
        return;
      case 'getAccepted':
      case 'getAncestors':
      case 'get':
      case 'pullQuery':
        if (this.finishedHandshake) this.host.onChainRequest(this, message);
        return;
      default:
        return;
    }
  }

  private handlePing(uptime: number): void {
    if (uptime > MAX_UPTIME_PERCENT) throw new OffenceError(`uptime ${uptime}`);
    this.send({ case: 'pong', value: {} });
  }

  private handlePong(): void {
    if (!this.awaitsPong) throw new OffenceError('unasked pong');
    this.awaitsPong = false;
  }

  private handleHandshake(handshake: Handshake): void {
    if (this.handshake !== undefined) throw new OffenceError('second handshake');
    validateHandshake(handshake, {
      networkId: this.host.networkId,
      nowSeconds: BigInt(Math.floor(Date.now() / 1000)),
      publicKey: this.remote.publicKey,
      maximumMajor: MAXIMUM_CLIENT_MAJOR,
      minimumVersion: this.host.versionFloor,
    });
    assertBlsSignature(handshake.ipBlsSig);
    this.handshake = handshake;
    const claimedIpPorts = this.host.addressesFor(this.remote.nodeId, readKnownPeers(handshake.knownPeers));
    this.send({ case: 'peerList', value: { claimedIpPorts } });
  }

  private handlePeerList({ claimedIpPorts }: PeerList): void {
    if (this.handshake === undefined) return;
    if (!this.finishedHandshake) {
      this.finishedHandshake = true;
      this.host.onHandshakeFinished();
    }
    assertClaims(claimedIpPorts);
  }

  private handleGetPeerList({ knownPeers }: GetPeerList): void {
    if (!this.finishedHandshake) return;
    // A filter is due here: an absent one reads as an empty one, which is not valid.
    const known = readKnownPeers(knownPeers ?? create(BloomFilterSchema));
    const claimedIpPorts = this.host.addressesFor(this.remote.nodeId, known);
    if (claimedIpPorts.length > 0) this.send({ case: 'peerList', value: { claimedIpPorts } });
  }
}

/** Any point will do, even infinity: only of a registered validator do nodes verify it. */
function assertBlsSignature(bytes: Uint8Array): void {
  try {
    bls.signatureFromBytes(bytes);
  } catch (error) {
    throw error instanceof BlsError ? new OffenceError('the BLS signature is no point') : error;
  }
}

function decodeOrSkip(bytes: Uint8Array): P2pMessage | undefined {
  try {
    return decodeMessage(bytes);
  } catch (error) {
    if (error instanceof P2pError) return undefined;
    throw error;
  }
}

function isOffence(error: unknown): boolean {
  return error instanceof P2pError || error instanceof HandshakeError || error instanceof OffenceError;
}
