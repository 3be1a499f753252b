import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { isPrivateAddress, makePrivateAddressError } from '../../avalanche/p2p/network/address.js';
import { parseRetryAfter } from '../../avalanche/rpc/http/http-answer.js';
import { toError } from '../../avalanche/rpc/http/http-post.js';
import { HostTurns } from './host-turns.js';
import { PublicHttpError } from './public-http.error.js';

export interface PublicHttpOptions {
  /** `host:port` that may be private: an operator's own gateways. */
  readonly trustedHosts: readonly string[];
  /** As `URL.host` names them: they can take more requests at a time than a host that a contract names. */
  readonly gatewayHosts?: ReadonlySet<string>;
  readonly maxBytes: number;
  readonly connectTimeoutMs: number;
  /** Of all that one URL leads to, redirects included. */
  readonly totalTimeoutMs: number;
  /** For the turn of a host that has its requests, which whoever waits holds a place of the worker for; half a minute when left out. */
  readonly maxTurnWaitMs?: number;
  /** All addresses of a name; asked once for each connection, which goes to one of them. */
  readonly resolve?: (hostname: string) => Promise<readonly LookupAddress[]>;
}

const MAX_REDIRECTS = 3;
const GONE = 410;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const DEFAULT_PORTS = { 'http:': '80', 'https:': '443' } as const;
const PORTS: ReadonlySet<string> = new Set(Object.values(DEFAULT_PORTS));
/** A host that throttles may name for how long, up to a limit. */
const DEFAULT_PAUSE_MS = 60_000;
const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 3_600_000;
const HEADERS = {
  accept: 'application/json, */*;q=0.5',
  'accept-encoding': 'gzip',
  'user-agent': 'network-data-service',
};

/**
 * Requests to untrusted hosts: the author of a contract or a caller chooses the URL. Nothing inside our own network is ever
 * requested: all addresses of a name must be public, and the connection goes to the very addresses that were checked, so that a
 * name that resolves differently a moment later gains nothing. A redirect is a URL like any other. No proxy, cookie, key or
 * kept connection is involved, and bytes, time and redirects are bounded.
 */
export class PublicHttpClient {
  private readonly trusted: ReadonlySet<string>;
  private readonly agents = {
    'http:': new RequestFilteringHttpAgent(),
    'https:': new RequestFilteringHttpsAgent(),
  };
  private readonly trustingAgents = { 'http:': new HttpAgent(), 'https:': new HttpsAgent() };
  private readonly lookup: LookupFunction;
  private readonly turns: HostTurns;

  constructor(private readonly options: PublicHttpOptions) {
    this.trusted = new Set(options.trustedHosts);
    this.turns = new HostTurns(options.gatewayHosts, options.maxTurnWaitMs);
    this.lookup = lookupWith(options.resolve ?? resolveName);
  }

  /** Throws PublicHttpError; HostBusyError; or the signal's reason. */
  async get(first: URL, signal: AbortSignal): Promise<Buffer> {
    const budget = { leftMs: this.options.totalTimeoutMs };
    let url = checkUrl(first, this.trusted);
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const answer = await this.turns.run(url.host, signal, () =>
        this.inTime(signal, budget, (limited) => this.ask(url, limited)),
      );
      if (Buffer.isBuffer(answer)) return answer;
      url = this.redirected(answer, url);
    }
    throw new PublicHttpError('UNREACHABLE', `more than ${MAX_REDIRECTS} redirects`);
  }

  /**
   * HTTP status of a POST that follows no redirect: 2xx, or 410 Gone. Rejects as `get` does. Each sender has turns of its own at a host,
   * and pauses: what one posts to may be slow or throttle as it likes, where others have receivers as well.
   */
  async post(to: URL, content: PostedContent, signal: AbortSignal): Promise<number> {
    const url = checkUrl(to, this.trusted);
    const budget = { leftMs: this.options.totalTimeoutMs };
    const turn = `${url.host} ${content.sender}`;
    return this.turns.run(turn, signal, () =>
      this.inTime(signal, budget, async (limited) => {
        const response = await this.connect(url, limited, content);
        try {
          const { statusCode: status = 0 } = response;
          if (status === GONE) return status;
          this.expectSuccess(turn, response);
          return status;
        } finally {
          response.destroy();
        }
      }),
    );
  }

  /** Waiting for a turn takes nothing of the time. */
  private async inTime<T>(
    signal: AbortSignal,
    budget: { leftMs: number },
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const startedAt = performance.now();
    const timeout = AbortSignal.timeout(Math.max(0, Math.ceil(budget.leftMs)));
    try {
      return await work(AbortSignal.any([signal, timeout]));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof PublicHttpError) throw error;
      throw timeout.aborted
        ? new PublicHttpError('TIMED_OUT', 'no complete answer in time', undefined, { cause: error })
        : new PublicHttpError('UNREACHABLE', toError(error).message, undefined, { cause: error });
    } finally {
      budget.leftMs -= performance.now() - startedAt;
    }
  }

  /** The body, or its address. */
  private async ask(url: CheckedUrl, signal: AbortSignal): Promise<Buffer | string> {
    const response = await this.connect(url, signal);
    try {
      const { statusCode: status = 0, headers } = response;
      if (REDIRECTS.has(status)) return headers.location ?? '';
      this.expectSuccess(url.host, response);
      return await readBounded(response, this.options.maxBytes);
    } finally {
      response.destroy();
    }
  }

  /** Throws PublicHttpError. */
  private expectSuccess(turn: string, { statusCode: status = 0, headers }: IncomingMessage): void {
    if (status === 429) {
      const pauseMs = clampPause(parseRetryAfter(headers['retry-after']));
      this.turns.pause(turn, pauseMs);
      throw new PublicHttpError('THROTTLED', 'the host is throttling requests', pauseMs);
    }
    if (status === 504) throw new PublicHttpError('TIMED_OUT', 'HTTP 504');
    if (status < 200 || status > 299) throw new PublicHttpError('UNREACHABLE', `HTTP ${status}`);
  }

  private connect(url: CheckedUrl, signal: AbortSignal, posted?: PostedContent): Promise<IncomingMessage> {
    const { protocol } = url;
    const isTrusted = this.trusted.has(hostAndPort(url));
    return new Promise((resolve, reject) => {
      const outgoing = (protocol === 'https:' ? httpsRequest : httpRequest)(url, {
        agent: (isTrusted ? this.trustingAgents : this.agents)[protocol],
        ...(posted === undefined ? { headers: HEADERS } : postOf(posted)),
        signal,
        ...(isTrusted ? {} : { lookup: this.lookup }),
      });
      const giveUp = (): void => void outgoing.destroy(new Error('no connection in time'));
      const timer = setTimeout(giveUp, this.options.connectTimeoutMs);
      outgoing.once('socket', (socket) =>
        socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', () => clearTimeout(timer)),
      );
      outgoing.once('response', resolve);
      outgoing.on('error', reject);
      outgoing.once('close', () => {
        clearTimeout(timer);
        // Who has an answer or an error already does not hear of it; some ends, such as another protocol, are neither.
        reject(new Error('the connection was closed'));
      });
      outgoing.end(posted?.body);
    });
  }

  private redirected(location: string, from: URL): CheckedUrl {
    try {
      return checkUrl(new URL(location, from), this.trusted);
    } catch (error) {
      throw new PublicHttpError('UNREACHABLE', 'redirected to a forbidden address', undefined, {
        cause: error,
      });
    }
  }
}

/** Throws PublicHttpError for a URL that is never asked for, as far as it can be known before its name is looked up. */
export function checkUrl(url: URL, trusted: ReadonlySet<string>): CheckedUrl {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!isHttp(url)) throw refused('another scheme than http and https');
  if (url.username !== '' || url.password !== '') throw refused('a URL with a user');
  if (trusted.has(hostAndPort(url))) return url;
  if (url.port !== '' && !PORTS.has(url.port)) throw refused(`port ${url.port}`);
  if (isIP(host) !== 0 && isPrivateAddress(host)) {
    throw new PublicHttpError('UNREACHABLE', 'a private address');
  }
  return url;
}

/** JSON. */
export interface PostedContent {
  /** For whom it is posted. */
  readonly sender: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function postOf({ headers, body }: PostedContent) {
  const length = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
  return { method: 'POST', headers: Object.assign({}, HEADERS, headers, length) };
}

type CheckedUrl = URL & { readonly protocol: keyof typeof DEFAULT_PORTS };

function isHttp(url: URL): url is CheckedUrl {
  return url.protocol in DEFAULT_PORTS;
}

function hostAndPort(url: CheckedUrl): string {
  return `${url.hostname}:${url.port === '' ? DEFAULT_PORTS[url.protocol] : url.port}`;
}

function refused(what: string): PublicHttpError {
  return new PublicHttpError('REFUSED_URL', `${what} is not allowed`);
}

function clampPause(askedMs = DEFAULT_PAUSE_MS): number {
  return Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, askedMs));
}

/** Not the system's lookup: its few threads are the whole process's, and a name server may let a caller wait. */
async function resolveName(hostname: string): Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 });
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = [
    ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (found.length === 0 && v4.status === 'rejected') throw toError(v4.reason);
  return found;
}

/** Fails unless every address is public. The agent looks at them once more, with a list of its own. */
function lookupWith(resolve: NonNullable<PublicHttpOptions['resolve']>): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (found) => {
        const [first] = found;
        if (first === undefined || found.some(({ address }) => isPrivateAddress(address))) {
          callback(makePrivateAddressError(), []);
        } else if (options.all === true) {
          callback(null, [...found]);
        } else {
          callback(null, first.address, first.family);
        }
      },
      (error: unknown) => callback(toError(error), []),
    );
  };
}

async function readBounded(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of unfolded(response)) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > maxBytes) throw new PublicHttpError('TOO_LARGE', `more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** Compressed answers, also of servers that do so unasked. */
function unfolded(response: IncomingMessage): Readable {
  const unfold = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress };
  const encoding = response.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding === 'identity') return response;
  if (encoding !== 'gzip' && encoding !== 'deflate' && encoding !== 'br') {
    throw new PublicHttpError('UNREACHABLE', 'an unknown content encoding');
  }
  // The reader hears of every failure itself.
  return pipeline(response, unfold[encoding](), () => undefined);
}
