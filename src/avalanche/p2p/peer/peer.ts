import type { KeyObject } from 'node:crypto';
import type { ClaimedIpPort, GetAncestors, Handshake } from '../../proto/generated/p2p_pb.js';
import { encodeAppRequest } from '../messages/app-request-message.js';
import {
  ANSWER_KINDS,
  type ChainAnswers,
  type ChainQuestion,
  toAnswer,
  toMessage,
} from '../messages/chain-question.js';
import { MAX_MESSAGE_BYTES } from '../messages/message-framing.js';
import type { AppRequest } from '../network/app-request-network.js';
import type { ChainRequest } from '../network/chain-network.js';
import { PeerRequestError } from '../peer-request.error.js';
import { HandshakeError, validateHandshake, type ClientVersion } from './handshake.js';
import {
  encodeMessage,
  openMessage,
  readMessage,
  type OpenedMessage,
  type P2pMessage,
  type P2pMessageKind,
} from '../messages/p2p-message.js';
import { P2pError } from '../p2p.error.js';
import { PeerConnection, type ConnectionOptions, type PeerEnd } from './peer-connection.js';
import { MAX_TIMEOUT_MS, PendingRequests } from './pending-requests.js';
import { TokenBucket } from './token-bucket.js';
import { Traffic } from '../traffic.js';

const NANOSECONDS_PER_MILLISECOND = 1_000_000;
const EMPTY_PEER_LIST = encodeMessage({ case: 'peerList', value: {} });
const PONG = encodeMessage({ case: 'pong', value: {} });
/** The uptime of the node that we report. We do not measure it, and nodes accept 0 to 100. */
const PING = encodeMessage({ case: 'ping', value: { uptime: 100 } });

/** The most that an answer of containers has, as it comes and expanded. */
const BYTES_OF_AN_ANSWER = 2 * MAX_MESSAGE_BYTES;

export interface PeerOptions extends ConnectionOptions {
  networkId: number;
  /** From dialling to TLS, when that is to take less time than the whole. */
  secureTimeoutMs?: number;
  /** Counts the traffic of the connection; omitted, it is not counted. */
  traffic?: Traffic;
  /** Our first message, made when it is sent because it contains the time. */
  makeHandshake(): Handshake;
  onReady(peer: Peer): void;
  /** A peer list that we asked for. */
  onPeerList(peer: Peer, claims: readonly ClaimedIpPort[]): void;
  /** Called exactly once, also when the connection never came about. */
  onEnd(peer: Peer, end: PeerEnd): void;
}

interface OutboundMessage {
  kind: P2pMessageKind;
  message: Uint8Array;
}

/**
 * One node: dialled on construction, `isReady` once both sides have accepted each other, then asked things.
 * Time passes by `tick`, so that a thousand peers need one timer. A node has accepted us when it answers our Handshake
 * with a PeerList (avalanchego v1.15.0 network/peer/peer.go, handleHandshake), until then it drops requests silently.
 */
export class Peer {
  private readonly connection: PeerConnection;
  private readonly pending: PendingRequests;
  private readonly unaskedMessages: TokenBucket;
  private readonly startedAtMs = performance.now();
  private readonly traffic: Traffic;
  private publicKey: KeyObject | undefined;
  /** Of its handshake, which is not kept: it may be large. */
  private reported: ClientVersion | undefined;
  private stage: 'connecting' | 'ready' | 'ended' = 'connecting';
  private lastMessageAtMs = this.startedAtMs;
  private lastPingAtMs = this.startedAtMs;
  private pongsOwed = 0;
  private peerListsOwed = 0;

  constructor(private readonly options: PeerOptions) {
    this.traffic = options.traffic ?? new Traffic();
    this.pending = new PendingRequests(options.limits.maxInFlightRequests);
    this.unaskedMessages = new TokenBucket(options.limits.unaskedMessages, this.startedAtMs);
    this.connection = new PeerConnection(options, {
      onSecure: (publicKey) => this.onSecure(publicKey),
      onMessage: (bytes) => this.onMessage(bytes),
      onEnd: (end) => this.onEnd(end),
    });
  }

  get nodeId(): string {
    return this.options.address.nodeId;
  }

  get isReady(): boolean {
    return this.stage === 'ready';
  }

  /** The version that the node reports; undefined before its handshake. */
  get clientVersion(): ClientVersion | undefined {
    return this.reported;
  }

  /** @see AppRequestNetwork.appRequest */
  request({ chainId, appBytes, timeoutMs, signal }: Omit<AppRequest, 'nodeId'>): Promise<Uint8Array> {
    if (!this.isReady) return Promise.reject(this.notConnected());
    const answer = this.pending.add(
      { chainId, answerKind: 'appResponse', timeoutMs, signal },
      (requestId) => {
        const deadline = toDeadline(timeoutMs);
        const message = encodeAppRequest({ chainId, requestId, deadline, appBytes });
        return this.send({ kind: 'appRequest', message });
      },
    );
    return answer as Promise<Uint8Array>; // the body of an appResponse
  }

  /** @see ChainNetwork.ask */
  async ask<Question extends ChainQuestion>(
    question: Question,
    { chainId, timeoutMs, signal }: Omit<ChainRequest, 'nodeId'>,
  ): Promise<ChainAnswers[Question['kind']]> {
    if (!this.isReady) throw this.notConnected();
    const answerKind = ANSWER_KINDS[question.kind];
    const answer = this.pending.add({ chainId, answerKind, timeoutMs, signal }, (requestId) => {
      const deadline = BigInt(toDeadline(timeoutMs));
      const message = encodeMessage(toMessage(question, { chainId, requestId, deadline }));
      return this.send({ kind: question.kind, message });
    });
    this.connection.expect(BYTES_OF_AN_ANSWER);
    try {
      return (await answer) as ChainAnswers[Question['kind']]; // the body of this kind
    } finally {
      this.connection.expect(-BYTES_OF_AN_ANSWER);
    }
  }

  /** Asks for addresses that are not in the filter. The node does not answer when it has none. */
  askForPeers(knownPeers: { filter: Uint8Array; salt: Uint8Array }): void {
    const message = encodeMessage({ case: 'getPeerList', value: { knownPeers, allSubnets: true } });
    if (this.isReady && this.send({ kind: 'getPeerList', message })) {
      // One is enough: what was not answered before this was empty.
      this.peerListsOwed = 1;
    }
  }

  /** Pings when it is time to, and ends a connection that is late. Call it a few times per shortest timeout. */
  tick(nowMs: number): void {
    const { idleTimeoutMs, pingIntervalMs } = this.options.limits;
    if (this.stage === 'connecting' && nowMs - this.startedAtMs > this.connectTimeoutMs()) {
      this.onHandshakeTimeout();
    } else if (this.isReady && nowMs - this.lastMessageAtMs > idleTimeoutMs) {
      this.end({ kind: 'lost', text: 'disconnected: silent for too long' });
    } else if (this.isReady && nowMs - this.lastPingAtMs > pingIntervalMs) {
      this.lastPingAtMs = nowMs;
      this.pongsOwed += 1;
      this.sendOrEnd({ kind: 'ping', message: PING });
    }
  }

  end(end: PeerEnd): void {
    this.connection.end(end);
  }

  private notConnected(): PeerRequestError {
    return new PeerRequestError('NOT_CONNECTED', `${this.nodeId} is not connected`);
  }

  private connectTimeoutMs(): number {
    const { handshakeTimeoutMs } = this.options.limits;
    const { secureTimeoutMs = handshakeTimeoutMs } = this.options;
    return this.publicKey === undefined ? Math.min(secureTimeoutMs, handshakeTimeoutMs) : handshakeTimeoutMs;
  }

  private onHandshakeTimeout(): void {
    this.end(
      this.publicKey === undefined
        ? { kind: 'unreachable', text: 'timed out' }
        : { kind: 'handshake', text: 'handshake failed: timed out' },
    );
  }

  private onSecure(publicKey: KeyObject): void {
    this.publicKey = publicKey;
    this.peerListsOwed = 1;
    const message = encodeMessage({ case: 'handshake', value: this.options.makeHandshake() });
    // The node wants a PeerList for its own Handshake and takes it before that one arrives; one write saves a round trip.
    this.sendOrEnd({ kind: 'handshake', message }, { kind: 'peerList', message: EMPTY_PEER_LIST });
  }

  private onMessage(bytes: Uint8Array): void {
    try {
      const message = openMessage(bytes, (expandedBytes) => this.connection.charge(expandedBytes));
      this.traffic.onReceived(message.kind, bytes.length);
      if (this.stage !== 'ended' && !this.handle(message)) {
        this.onUnasked();
      }
    } catch (error) {
      if (error instanceof P2pError) {
        this.traffic.onReceived('unreadable', bytes.length);
        this.onUnasked();
      } else {
        // A fault of ours that these bytes bring out must cost this connection, not the process.
        this.end({ kind: 'lost', text: `disconnected: ${String(error)}` });
      }
    }
  }

  /** Whether the message was asked for. What we have no use for is not even read. */
  private handle(opened: OpenedMessage): boolean {
    switch (opened.kind) {
      case 'peerList':
        if (this.reported === undefined || this.peerListsOwed === 0) {
          return false;
        }
        this.peerListsOwed -= 1;
        break;
      case 'ping':
      case 'pong':
      case 'handshake':
      case 'appResponse':
      case 'appError':
      case 'accepted':
      case 'ancestors':
      case 'put':
      case 'chits':
      case 'getAncestors':
        break;
      default:
        return false;
    }
    this.lastMessageAtMs = performance.now();
    return this.handleRead(readMessage(opened));
  }

  private handleRead(message: P2pMessage): boolean {
    switch (message.case) {
      case 'ping':
        this.sendOrEnd({ kind: 'pong', message: PONG });
        return false;
      case 'pong':
        this.pongsOwed -= 1;
        return this.acceptPong();
      case 'handshake':
        return this.onHandshake(message.value);
      case 'peerList':
        this.onPeerList(message.value.claimedIpPorts);
        return true;
      case 'appResponse': {
        const { requestId, chainId, appBytes } = message.value;
        // A copy, because it is a part of a larger message; `slice` of a Buffer would be none.
        return this.pending.onAnswer({
          requestId,
          chainId,
          answerKind: message.case,
          body: new Uint8Array(appBytes),
        });
      }
      case 'appError': {
        const { requestId, chainId, errorCode, errorMessage } = message.value;
        return this.pending.onError(requestId, chainId, { code: errorCode, message: errorMessage });
      }
      case 'accepted':
      case 'ancestors':
      case 'put':
      case 'chits': {
        const { requestId, chainId } = message.value;
        return this.pending.onAnswer({
          requestId,
          chainId,
          answerKind: message.case,
          body: toAnswer(message),
        });
      }
      case 'getAncestors':
        // A node that bootstraps asks whoever is connected, and would wait for our answer.
        this.answerWithNothing(message.value);
        return false;
      default:
        return false;
    }
  }

  private answerWithNothing({ chainId, requestId }: GetAncestors): void {
    const message = encodeMessage({ case: 'ancestors', value: { chainId, requestId } });
    this.sendOrEnd({ kind: 'ancestors', message });
  }

  /** A pong too many is no harm to us. */
  private acceptPong(): boolean {
    const wasOwed = this.pongsOwed >= 0;
    this.pongsOwed = Math.max(0, this.pongsOwed);
    return wasOwed;
  }

  private onHandshake(handshake: Handshake): boolean {
    const { publicKey } = this;
    if (this.reported !== undefined || publicKey === undefined) {
      this.end({ kind: 'offence', text: 'sent a second handshake' });
      return false;
    }
    const nowSeconds = BigInt(Math.floor(Date.now() / 1000));
    try {
      const expected = { networkId: this.options.networkId, nowSeconds, publicKey };
      this.reported = validateHandshake(handshake, expected);
    } catch (error) {
      if (!(error instanceof HandshakeError)) {
        throw error;
      }
      this.end({ kind: 'handshake', text: `handshake failed: ${error.message}` });
    }
    return true;
  }

  private onPeerList(claims: readonly ClaimedIpPort[]): void {
    this.options.onPeerList(this, claims);
    if (this.stage === 'connecting') {
      this.stage = 'ready';
      this.lastPingAtMs = performance.now();
      this.options.onReady(this);
    }
  }

  private onUnasked(): void {
    if (!this.unaskedMessages.take(1, performance.now())) {
      this.end({ kind: 'offence', text: 'sent too many messages' });
    }
  }

  private sendOrEnd(...messages: OutboundMessage[]): void {
    if (!this.send(...messages)) {
      this.end({ kind: 'lost', text: 'disconnected: the node does not read' });
    }
  }

  private send(...messages: OutboundMessage[]): boolean {
    const isSent = this.connection.send(...messages.map(({ message }) => message));
    if (isSent) messages.forEach(({ kind, message }) => this.traffic.onSent(kind, message.length));
    return isSent;
  }

  private onEnd(end: PeerEnd): void {
    const wasReady = this.isReady;
    this.stage = 'ended';
    this.pending.rejectAll(end.text);
    // Before it is ready, a node that closes has refused us, and it never reports why.
    const isRefusal = end.kind === 'lost' && !wasReady;
    this.options.onEnd(
      this,
      isRefusal ? { kind: 'handshake', text: end.text.replace('disconnected', 'handshake failed') } : end,
    );
  }
}

/** Nanoseconds, as nodes want them. They drop a request whose deadline is zero. */
function toDeadline(timeoutMs: number): number {
  return Math.max(1, Math.floor(Math.min(timeoutMs, MAX_TIMEOUT_MS) * NANOSECONDS_PER_MILLISECOND));
}
