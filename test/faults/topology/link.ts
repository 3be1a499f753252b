import { EventEmitter, once } from 'node:events';
import { type AddressInfo, createServer, type Server, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../../sandbox/generated/evm-chain-generator.js';

/**
 * Simulates faults of a network on TCP. Lost packets show as stalls, for TCP sends them again, and now and then as an end of the
 * connection. `cut` is a partition: nothing comes through and no error reports it.
 */
export type Weather =
  | { readonly kind: 'clear' }
  | { readonly kind: 'slow'; readonly delayMs: number }
  | { readonly kind: 'lossy'; readonly stallPercent: number; readonly resetPercent: number }
  | { readonly kind: 'cut' };

export const CLEAR: Weather = { kind: 'clear' };

/** From the first retransmission of Linux to one that was repeated twice. */
const STALL_MS = { min: 200, max: 1_600 };

/** One for all links of a network. */
export class Sky {
  private weather: Weather = CLEAR;
  private readonly changes = new EventEmitter().setMaxListeners(Infinity);

  constructor(private readonly random: Random) {}

  get current(): Weather {
    return this.weather;
  }

  set(weather: Weather): void {
    this.weather = weather;
    this.changes.emit('change');
  }

  /** Takes as long as a piece of a stream takes on its way. @returns whether it arrives */
  async pass(): Promise<boolean> {
    while (this.weather.kind === 'cut') await once(this.changes, 'change');
    switch (this.weather.kind) {
      case 'clear':
        return true;
      case 'slow':
        await delay(this.weather.delayMs);
        return true;
      case 'lossy': {
        const { stallPercent, resetPercent } = this.weather;
        if (this.random(100) < resetPercent) return false;
        if (this.random(100) < stallPercent) await delay(STALL_MS.min + this.random(STALL_MS.max));
        return true;
      }
    }
  }
}

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** A TCP proxy between the service and somebody far away. */
export class Link {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly sky: Sky,
    private readonly target: Endpoint,
  ) {
    server.on('connection', (socket) => void this.carry(socket));
  }

  /** Port 0: any free one. */
  static async open(options: { at: Endpoint; to: Endpoint; sky: Sky }): Promise<Link> {
    const server = createServer({ pauseOnConnect: true });
    const link = new Link(server, options.sky, options.to);
    server.listen(options.at.port, options.at.host);
    await once(server, 'listening');
    return link;
  }

  get url(): string {
    const { address, port } = this.server.address() as AddressInfo;
    return `http://${address}:${port}`;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private async carry(near: Socket): Promise<void> {
    const far = new Socket();
    const end = (): void => {
      for (const socket of [near, far]) {
        socket.destroy();
        this.sockets.delete(socket);
      }
    };
    for (const socket of [near, far]) {
      this.sockets.add(socket.setNoDelay(true));
      socket.on('error', end).on('close', end);
    }
    // A connection that begins in a partition has never been one.
    const isCut = this.sky.current.kind === 'cut';
    if (!(await this.sky.pass()) || isCut) return end();
    far.connect(this.target.port, this.target.host);
    await Promise.all([this.forward(near, far), this.forward(far, near)]).catch(end);
  }

  private async forward(from: Socket, to: Socket): Promise<void> {
    for await (const piece of from) {
      if (!(await this.sky.pass())) throw new Error('lost');
      if (!to.write(piece as Buffer)) await once(to, 'drain');
    }
    to.end();
  }
}
