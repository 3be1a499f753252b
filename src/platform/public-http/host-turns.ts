import { toError } from '../../avalanche/rpc/http/http-post.js';
import { PublicHttpError } from './public-http.error.js';

/** Requests at a time to one host. */
export const TURNS_PER_HOST = 2;
/** To one that the operator has chosen, where most of the metadata is. */
export const TURNS_PER_GATEWAY = 16;
const MAX_WAIT_MS = 30_000;
/** Hosts that are remembered because they want to be left alone. */
const MAX_HOSTS = 10_000;

/** Too many want to ask the host: it is no fault of the URL's. */
export class HostBusyError extends Error {
  constructor(name: string) {
    super(`too many requests wait for ${name}`);
    this.name = HostBusyError.name;
  }
}

interface Host {
  running: number;
  readonly waiting: Set<() => void>;
  pausedUntilMs: number;
}

/** Limits requests to each host: a few at a time, in the order of their arrival, and none while the host has asked for a pause. */
export class HostTurns {
  private readonly hosts = new Map<string, Host>();

  constructor(
    private readonly gateways: ReadonlySet<string> = new Set(),
    private readonly maxWaitMs = MAX_WAIT_MS,
  ) {}

  /** Throws PublicHttpError `THROTTLED`; HostBusyError; the signal's reason; or what the work throws. */
  async run<T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const host = this.hostOf(name);
    if (host.running < (this.gateways.has(name) ? TURNS_PER_GATEWAY : TURNS_PER_HOST)) host.running += 1;
    else await this.waitFor(name, host, signal);
    try {
      const pauseMs = host.pausedUntilMs - performance.now();
      if (pauseMs > 0) throw new PublicHttpError('THROTTLED', 'the host has asked for a pause', pauseMs);
      return await work();
    } finally {
      this.handOn(name, host);
    }
  }

  pause(name: string, forMs: number): void {
    const host = this.hostOf(name);
    host.pausedUntilMs = Math.max(host.pausedUntilMs, performance.now() + forMs);
  }

  private hostOf(name: string): Host {
    const known = this.hosts.get(name);
    if (known !== undefined) return known;
    const host: Host = { running: 0, waiting: new Set(), pausedUntilMs: 0 };
    this.hosts.set(name, host);
    return host;
  }

  private waitFor(name: string, { waiting }: Host, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const leave = (): void => {
        waiting.delete(start);
        clearTimeout(patience);
        signal.removeEventListener('abort', giveUp);
      };
      const start = (): void => {
        leave();
        resolve();
      };
      const giveUp = (): void => {
        leave();
        reject(signal.aborted ? toError(signal.reason) : new HostBusyError(name));
      };
      const patience = setTimeout(giveUp, this.maxWaitMs);
      signal.addEventListener('abort', giveUp, { once: true });
      waiting.add(start);
    });
  }

  /** Passes the slot to the next in the queue, so that no later arrival takes it. */
  private handOn(name: string, host: Host): void {
    const [next] = host.waiting;
    if (next !== undefined) return next();
    host.running -= 1;
    if (host.running > 0) return;
    if (host.pausedUntilMs <= performance.now()) this.hosts.delete(name);
    else if (this.hosts.size > MAX_HOSTS) this.forgetOne();
  }

  /** The one that has been known for longest. */
  private forgetOne(): void {
    for (const [name, { running }] of this.hosts) {
      if (running === 0) return void this.hosts.delete(name);
    }
  }
}
