import { MAX_MESSAGE_BYTES } from '../messages/message-framing.js';
import type { Rate } from './token-bucket.js';

/** Bounds of one connection. */
export interface PeerLimits {
  /**
   * From dialling to TLS, for a node that was not tried before: on a first round through a thousand nodes, those that are not there
   * are not to keep the others waiting.
   */
  firstSecureTimeoutMs: number;
  /** From dialling to the end of the handshake. Nodes themselves wait 15 s for TLS and 30 s for the rest. */
  handshakeTimeoutMs: number;
  /** How often we ping. Any cadence is answered. */
  pingIntervalMs: number;
  /** Without a complete message for so long, the node is gone. It pings every 22.5 s and answers our pings. */
  idleTimeoutMs: number;
  /** Requests that may wait for answers; a node handles 1,024 messages of one peer at a time. */
  maxInFlightRequests: number;
  /** Bytes that the node has not read yet, while all connections together have memory for them. Nodes bound theirs to us at the same. */
  maxOutboundBytes: number;
  /** Unsolicited messages: gossip, pings, late answers, garbage. */
  unaskedMessages: Rate;
  /**
   * Bytes of all messages, expanded; small pieces of the stream count as `MIN_CHUNK_COST_BYTES`. Reading one costs up to some tens of
   * nanoseconds per byte.
   */
  inboundBytes: Rate;
}

export const DEFAULT_PEER_LIMITS: PeerLimits = {
  firstSecureTimeoutMs: 8_000,
  handshakeTimeoutMs: 10_000,
  pingIntervalMs: 15_000,
  idleTimeoutMs: 40_000,
  maxInFlightRequests: 1024,
  maxOutboundBytes: MAX_MESSAGE_BYTES,
  unaskedMessages: { burst: 1000, perSecond: 200 },
  inboundBytes: { burst: 8 * 1024 * 1024, perSecond: 1024 * 1024 },
};

/**
 * Least size that a piece of the stream counts as: a TLS record of one byte takes as long as so many bytes, and the node cuts the records.
 */
export const MIN_CHUNK_COST_BYTES = 256;

/** Holdings of shared memory up to this size are always granted. */
const SMALL_BYTES = 64 * 1024;

/**
 * Memory that all connections of a network share, for messages that nodes have not read: each connection alone could hold a whole message,
 * which nobody could afford a thousand times.
 */
export class SharedMemory {
  private usedBytes = 0;

  constructor(private readonly maxBytes: number) {}

  /** A connection's holding changed; false when it has to give way. */
  resize(fromBytes: number, toBytes: number): boolean {
    this.usedBytes += toBytes - fromBytes;
    return toBytes <= SMALL_BYTES || this.usedBytes <= this.maxBytes;
  }
}

export interface MemoryHolder {
  /** Releases all that it holds. */
  giveWay(): void;
}

/**
 * The same for messages that nodes have not finished. Once it is used up the largest holder gives way, whoever takes the last of it:
 * otherwise some nodes that never finish theirs could end every other connection.
 */
export class InboundMemory {
  private readonly held = new Map<MemoryHolder, number>();
  private usedBytes = 0;

  constructor(private readonly maxBytes: number) {}

  /** A holder has so much from now on; it may have to give way itself. */
  hold(holder: MemoryHolder, bytes: number): void {
    this.usedBytes += bytes - (this.held.get(holder) ?? 0);
    if (bytes === 0) this.held.delete(holder);
    else this.held.set(holder, bytes);
    if (bytes <= SMALL_BYTES || this.usedBytes <= this.maxBytes) return;
    const [largest] = [...this.held].reduce((most, each) => (each[1] > most[1] ? each : most));
    largest.giveWay();
  }
}
