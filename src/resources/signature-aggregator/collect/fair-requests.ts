import type { AppRequest, AppRequestNetwork } from '../../../avalanche/p2p/network/app-request-network.js';
import { PeerRequestError } from '../../../avalanche/p2p/peer-request.error.js';
import { TokenBucket, type Rate } from '../../../avalanche/p2p/peer/token-bucket.js';
import { FadingCount } from '../../../avalanche/p2p/peer/fading-count.js';

/** Bytes to all validators of a network. */
const DEFAULT_RATE: Rate = { burst: 4_000_000, perSecond: 16_000_000 };
/** Of a request beside what is asked: the message around it, TLS, TCP. */
const REQUEST_BYTES = 200;
const HALF_LIFE_MS = 10_000;
const TICK_MS = 5;
/** Callers whose requests are remembered; those who are quiet are forgotten first. */
const MAX_SHARES = 1_000;
const QUIET_BYTES = 1_000;

interface Waiting {
  readonly bytes: number;
  readonly send: () => void;
  readonly isOver: () => boolean;
}

/** Requests that one caller has sent lately, and wants to send. */
interface Share {
  readonly sent: FadingCount;
  readonly waiting: Waiting[];
}

/**
 * Sends this process's requests to the validators of one network no faster than a rate. While there are more, those of the caller go first
 * for whom least was sent lately: who asks for little is served as if nobody else was there.
 */
export class FairRequests {
  private readonly bucket: TokenBucket;
  /** By caller. */
  private readonly shares = new Map<string, Share>();
  /** Of them, those that wait. */
  private readonly queue = new Set<Share>();
  private ticking: NodeJS.Timeout | undefined;

  constructor(
    rate: Rate = DEFAULT_RATE,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.bucket = new TokenBucket(rate, nowMs());
  }

  /** The network as one caller may use it. */
  of(caller: string, network: AppRequestNetwork): AppRequestNetwork {
    return {
      isConnected: (nodeId) => network.isConnected(nodeId),
      track: (nodeIds) => network.track(nodeIds),
      onConnected: (listener) => network.onConnected(listener),
      connectionState: (nodeId) => network.connectionState(nodeId),
      appRequest: (request) => this.send(caller, network, request),
    };
  }

  private send(caller: string, network: AppRequestNetwork, request: AppRequest): Promise<Uint8Array> {
    const bytes = request.appBytes.length + REQUEST_BYTES;
    const share = this.shareOf(caller);
    if (this.queue.size === 0 && this.bucket.take(bytes, this.nowMs())) {
      share.sent.add(bytes, this.nowMs());
      return network.appRequest(request);
    }
    return new Promise((resolve, reject) => {
      this.queue.add(share);
      share.waiting.push({
        bytes,
        send: () => void network.appRequest(request).then(resolve, reject),
        isOver: () => {
          if (request.signal?.aborted !== true) return false;
          reject(new PeerRequestError('ABORTED', 'the collection is over'));
          return true;
        },
      });
      this.ticking ??= setTimeout(() => this.tick(), TICK_MS).unref();
    });
  }

  private tick(): void {
    const now = this.nowMs();
    for (let share = this.leastServed(now); share !== undefined; share = this.leastServed(now)) {
      if (!this.sendNext(share, now)) break;
      if (share.waiting.length === 0) this.queue.delete(share);
    }
    this.ticking = this.queue.size > 0 ? setTimeout(() => this.tick(), TICK_MS).unref() : undefined;
  }

  /** False when the rate does not allow it yet. */
  private sendNext({ waiting, sent }: Share, nowMs: number): boolean {
    const [next] = waiting;
    if (next?.isOver() === false) {
      if (!this.bucket.take(next.bytes, nowMs)) return false;
      sent.add(next.bytes, nowMs);
      next.send();
    }
    waiting.shift();
    return true;
  }

  private leastServed(nowMs: number): Share | undefined {
    let least: Share | undefined;
    for (const share of this.queue) {
      if (least === undefined || share.sent.at(nowMs) < least.sent.at(nowMs)) least = share;
    }
    return least;
  }

  private shareOf(caller: string): Share {
    const known = this.shares.get(caller);
    if (known !== undefined) return known;
    if (this.shares.size >= MAX_SHARES) this.forgetQuiet();
    const share = { sent: new FadingCount(HALF_LIFE_MS), waiting: [] };
    this.shares.set(caller, share);
    return share;
  }

  private forgetQuiet(): void {
    const now = this.nowMs();
    for (const [caller, share] of this.shares) {
      if (!this.queue.has(share) && share.sent.at(now) < QUIET_BYTES) this.shares.delete(caller);
    }
  }
}
