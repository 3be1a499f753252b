import type { KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { nodeIdToString } from '../../ids/node-id.js';
import { parseStakingCertificate } from '../../staking/certificate.js';
import {
  isPrivateAddress,
  lookupPublic,
  makePrivateAddressError,
  PRIVATE_ADDRESS_ERROR_CODE,
  type PeerAddress,
} from '../network/address.js';
import { FrameReader, packFrames } from '../messages/message-framing.js';
import { P2pError } from '../p2p.error.js';
import {
  type InboundMemory,
  type MemoryHolder,
  MIN_CHUNK_COST_BYTES,
  type PeerLimits,
  type SharedMemory,
} from './peer-limits.js';
import type { TlsIdentity } from './tls-identity.js';
import { TokenBucket } from './token-bucket.js';

/**
 * How a connection ended. `unreachable`: it never was one; `throttled`: the node closed it before TLS, as it does with all but one
 * from an address in 10 s; `handshake`: the node or we did not want it; `offence`: the node broke the rules on purpose; `lost`: it
 * had worked; `closed`: we have no more use for it.
 */
export interface PeerEnd {
  kind: 'unreachable' | 'throttled' | 'handshake' | 'offence' | 'lost' | 'closed';
  /** A short phrase for people. */
  text: string;
}

export interface ConnectionHandlers {
  /** TLS is up and the certificate is the wanted node's. */
  onSecure(publicKey: KeyObject): void;
  /** One whole message, as it came. */
  onMessage(bytes: Uint8Array): void;
  /** Called exactly once. */
  onEnd(end: PeerEnd): void;
}

export interface ConnectionOptions {
  address: PeerAddress;
  secureContext: SecureContext;
  allowPrivateAddresses: boolean;
  limits: PeerLimits;
  /** For unfinished messages of nodes. */
  memory: InboundMemory;
  /** For messages that nodes have not read. */
  unreadMemory: SharedMemory;
  /** Called with all bytes that are charged against the connection's own allowance; may end connections, this one too. */
  onCharge?: (bytes: number) => void;
}

/** How it shows that the other side has closed, rather than that TLS has failed. */
const CODES_OF_CLOSING = new Set(['ECONNRESET', 'EPIPE']);

/** TLS settings of all connections under one identity. Nodes speak 1.3 only. */
export function makeSecureContext({ certPem, keyPem }: TlsIdentity): SecureContext {
  return createSecureContext({ cert: certPem, key: keyPem, minVersion: 'TLSv1.3' });
}

/** One outbound TLS connection that carries messages both ways within its limits. */
export class PeerConnection implements MemoryHolder {
  private readonly socket: TLSSocket;
  private readonly reader = new FrameReader();
  private readonly inboundBytes: TokenBucket;
  private stage: 'dialling' | 'securing' | 'secure' | 'ended' = 'dialling';
  private unreadBytes = 0;
  /** Of answers that were asked for: what all of them may have, and what is left of it. */
  private readonly expected = { bytes: 0, left: 0 };

  constructor(
    private readonly options: ConnectionOptions,
    private readonly handlers: ConnectionHandlers,
  ) {
    this.inboundBytes = new TokenBucket(options.limits.inboundBytes, performance.now());
    const { host, port } = options.address;
    this.socket = connect({
      host,
      port,
      secureContext: options.secureContext,
      // The certificate is self-signed; what counts is its hash, tested below, and the proof of its key by TLS.
      rejectUnauthorized: false,
      ...(options.allowPrivateAddresses ? {} : { lookup: lookupPublic }),
    });
    this.socket.setNoDelay(true);
    this.listen();
    if (!options.allowPrivateAddresses && isIP(host) !== 0 && isPrivateAddress(host)) {
      // Still in the tick of connect(), which has sent nothing yet. Names are tested when they have been looked up.
      this.socket.destroy(makePrivateAddressError());
    }
  }

  /** Sends messages in one write; false when too much is waiting already, and then nothing is sent. */
  send(...messages: Uint8Array[]): boolean {
    const bytes = packFrames(messages);
    const unreadBytes = this.socket.writableLength + bytes.length;
    if (
      this.stage !== 'secure' ||
      unreadBytes > this.options.limits.maxOutboundBytes ||
      !this.holdUnread(unreadBytes)
    ) {
      return false;
    }
    this.socket.write(bytes);
    return true;
  }

  /** False when there is no memory for so many. */
  private holdUnread(bytes: number): boolean {
    const { unreadMemory } = this.options;
    // Of fewer it is not reported when they have been read.
    const held = bytes > this.socket.writableHighWaterMark ? bytes : 0;
    const isGranted = unreadMemory.resize(this.unreadBytes, held);
    if (isGranted) this.unreadBytes = held;
    else unreadMemory.resize(held, this.unreadBytes);
    return isGranted;
  }

  /** An answer of up to so many bytes was asked for, which needs no allowance; negative when it came, or comes no more. */
  expect(bytes: number): void {
    this.expected.bytes += bytes;
    this.expected.left = Math.min(this.expected.bytes, this.expected.left + Math.max(0, bytes));
  }

  /** Takes more of the allowance for inbound bytes; ends the connection and returns false when there is none left. */
  charge(bytes: number): boolean {
    const asked = Math.min(bytes, this.expected.left);
    this.expected.left -= asked;
    const unasked = bytes - asked;
    if (!this.inboundBytes.take(unasked, performance.now())) {
      this.end({ kind: 'offence', text: 'sent too many bytes' });
      return false;
    }
    if (unasked > 0) this.options.onCharge?.(unasked);
    return this.stage === 'secure';
  }

  end(end: PeerEnd): void {
    if (this.stage === 'ended') {
      return;
    }
    this.stage = 'ended';
    this.socket.destroy();
    this.options.memory.hold(this, 0);
    this.options.unreadMemory.resize(this.unreadBytes, 0);
    this.reader.clear();
    this.handlers.onEnd(end);
  }

  giveWay(): void {
    this.end({ kind: 'lost', text: 'disconnected: no memory for more unfinished messages' });
  }

  private listen(): void {
    let failure: Error | undefined;
    this.socket
      .on('connect', () => this.advance('securing'))
      .on('secureConnect', () => this.onSecureConnect())
      .on('data', (chunk: Buffer) => this.onData(chunk))
      .on('drain', () => this.stage === 'secure' && this.holdUnread(0))
      .on('error', (error: Error) => {
        failure = error;
      })
      .on('close', () => this.end(this.describeClose(failure)));
  }

  private advance(stage: 'securing' | 'secure'): void {
    if (this.stage !== 'ended') {
      this.stage = stage;
    }
  }

  private onSecureConnect(): void {
    const { nodeId } = this.options.address;
    try {
      const certificate = this.socket.getPeerX509Certificate();
      const { nodeId: actual, publicKey } = parseStakingCertificate(certificate?.raw ?? new Uint8Array());
      const actualNodeId = nodeIdToString(actual);
      if (actualNodeId !== nodeId) {
        this.end({ kind: 'handshake', text: `handshake failed: ${actualNodeId} is at this address` });
        return;
      }
      this.advance('secure');
      this.handlers.onSecure(publicKey);
    } catch {
      this.end({ kind: 'handshake', text: 'handshake failed: unacceptable certificate' });
    }
  }

  private onData(chunk: Buffer): void {
    if (this.stage !== 'secure' || !this.charge(Math.max(chunk.length, MIN_CHUNK_COST_BYTES))) {
      return;
    }
    for (const message of this.readMessages(chunk)) {
      if (this.stage !== 'secure') {
        return;
      }
      this.handlers.onMessage(message);
    }
  }

  private readMessages(chunk: Buffer): Uint8Array[] {
    try {
      const messages = this.reader.push(chunk);
      this.options.memory.hold(this, this.reader.heldBytes);
      return messages;
    } catch (error) {
      const text = error instanceof P2pError ? error.message : 'unreadable bytes';
      this.end({ kind: 'offence', text });
      return [];
    }
  }

  private describeClose(failure: Error | undefined): PeerEnd {
    const code = failure !== undefined && 'code' in failure ? String(failure.code) : undefined;
    if (this.stage === 'dialling') {
      return { kind: 'unreachable', text: describeDialFailure(code) };
    }
    const text = code ?? 'closed by the node';
    if (this.stage !== 'securing') return { kind: 'lost', text: `disconnected: ${text}` };
    const isClosed = code === undefined || CODES_OF_CLOSING.has(code);
    return { kind: isClosed ? 'throttled' : 'handshake', text: `handshake failed: ${text}` };
  }
}

function describeDialFailure(code: string | undefined): string {
  switch (code) {
    case 'ECONNREFUSED':
      return 'refused';
    case 'ETIMEDOUT':
      return 'timed out';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'unknown host';
    case PRIVATE_ADDRESS_ERROR_CODE:
      return 'private address';
    default:
      return `unreachable${code === undefined ? '' : `: ${code}`}`;
  }
}
