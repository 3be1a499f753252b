import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** Bytes under way in one direction before the sender has to wait. */
const WINDOW_BYTES = 1024 * 1024;

/**
 * A connection to somebody far away: each byte takes half a round trip either way, in order. Loopback connects at once, so the
 * first bytes wait for the round trip that setting up TCP would have taken.
 */
export class DistantSocket extends Duplex {
  private readonly inbound: DelayLine;
  private readonly outbound: DelayLine;
  private inboundBytes = 0;
  private outboundBytes = 0;
  private waitingWriter: (() => void) | undefined;

  constructor(
    private readonly socket: Socket,
    roundTripMs: number,
  ) {
    super();
    this.inbound = new DelayLine(roundTripMs / 2, performance.now() + 1.5 * roundTripMs);
    this.outbound = new DelayLine(roundTripMs / 2);
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.once('end', () => this.inbound.push(() => this.push(null)));
    socket.once('error', () => this.destroy());
    socket.once('close', () => this.inbound.push(() => this.destroy()));
  }

  override _read(): void {
    // Data that arrive are passed on unasked; the window holds the sender back.
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.outboundBytes += chunk.length;
    this.outbound.push(() => this.socket.write(chunk, () => this.sent(chunk.length)));
    if (this.outboundBytes <= WINDOW_BYTES) done();
    else this.waitingWriter = done;
  }

  override _final(done: () => void): void {
    this.outbound.push(() => this.socket.end(done));
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.inbound.clear();
    this.outbound.clear();
    this.socket.destroy();
    done(error);
  }

  private sent(bytes: number): void {
    this.outboundBytes -= bytes;
    if (this.outboundBytes > WINDOW_BYTES) return;
    const resume = this.waitingWriter;
    this.waitingWriter = undefined;
    resume?.();
  }

  private receive(chunk: Buffer): void {
    this.inboundBytes += chunk.length;
    if (this.inboundBytes > WINDOW_BYTES) this.socket.pause();
    this.inbound.push(() => {
      this.inboundBytes -= chunk.length;
      this.push(chunk);
      if (this.inboundBytes <= WINDOW_BYTES) this.socket.resume();
    });
  }
}

/** Lets things arrive later, in the order in which they were sent. One timer for all that is under way. */
class DelayLine {
  private readonly underWay: { readonly dueMs: number; readonly arrive: () => void }[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly delayMs: number,
    /** Nothing arrives earlier. */
    private readonly opensAtMs = 0,
  ) {}

  push(arrive: () => void): void {
    const dueMs = Math.max(performance.now() + this.delayMs, this.opensAtMs);
    this.underWay.push({ dueMs, arrive });
    this.wait();
  }

  clear(): void {
    clearTimeout(this.timer);
    this.underWay.length = 0;
  }

  private wait(): void {
    const [next] = this.underWay;
    if (next === undefined || this.timer !== undefined) return;
    this.timer = setTimeout(() => this.deliver(), Math.max(0, next.dueMs - performance.now()));
  }

  private deliver(): void {
    this.timer = undefined;
    const nowMs = performance.now();
    while (this.underWay[0] !== undefined && this.underWay[0].dueMs <= nowMs) this.underWay.shift()?.arrive();
    this.wait();
  }
}
