import type { PeerEnd } from './peer/peer-connection.js';
import type { P2pMessageKind } from './messages/p2p-message.js';

/** Messages of one kind in one direction. */
export interface Volume {
  messages: number;
  bytes: number;
}

/** Messages and bytes over the connections of a network, and their outcomes. All of it only grows. */
export class Traffic {
  readonly sent = new Map<P2pMessageKind, Volume>();
  /** `unreadable`: no message could be made of it. Bytes as they came, compressed or not. */
  readonly received = new Map<P2pMessageKind | 'unreadable', Volume>();
  /** By how they ended; `connected` are those that did not. */
  readonly dials = new Map<PeerEnd['kind'] | 'connected', number>();
  /** Of connections that were up. */
  readonly ends = new Map<PeerEnd['kind'], number>();

  onSent(kind: P2pMessageKind, bytes: number): void {
    add(this.sent, kind, bytes);
  }

  onReceived(kind: P2pMessageKind | 'unreadable', bytes: number): void {
    add(this.received, kind, bytes);
  }

  onDialled(outcome: PeerEnd['kind'] | 'connected'): void {
    this.dials.set(outcome, (this.dials.get(outcome) ?? 0) + 1);
  }

  onEnd(kind: PeerEnd['kind']): void {
    this.ends.set(kind, (this.ends.get(kind) ?? 0) + 1);
  }
}

function add<Kind>(volumes: Map<Kind, Volume>, kind: Kind, bytes: number): void {
  const volume = volumes.get(kind);
  if (volume === undefined) {
    volumes.set(kind, { messages: 1, bytes });
    return;
  }
  volume.messages += 1;
  volume.bytes += bytes;
}
