import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { isPrivateAddress } from '../../p2p/network/address.js';

/** Sockets to one host; P-chain calls take the node's chain lock, so more would only queue there. */
const MAX_SOCKETS_PER_HOST = 64;
const MAX_IDLE_SOCKETS_PER_HOST = 16;
const GUNZIP_CHUNK_BYTES = 256 * 1024;

export interface HttpPostRequest {
  readonly url: URL;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Of the answer as it is meant, however small it came over the wire. */
  readonly maxResponseBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpPostResponse {
  readonly status: number;
  readonly body: Buffer;
  /** The header of that name as it came, e.g. `120` or an HTTP date. */
  readonly retryAfter: string | undefined;
}

export type HttpPostFailure = 'TIMED_OUT' | 'TOO_LARGE' | 'CONNECTION';

/** Why no complete answer arrived; `CONNECTION` has the system's error as its cause. */
export class HttpPostError extends Error {
  constructor(
    readonly failure: HttpPostFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'HttpPostError';
  }
}

/**
 * POSTs over connections that are kept open, with everything bounded: one deadline from connecting to the last byte
 * (so a slow drip ends too), the size while it arrives and unfolds, no redirects.
 *
 * node:http and not the built-in fetch: fetch follows no dispatcher settings without the undici package, so neither the
 * number of sockets nor their closing could be governed.
 */
export class HttpPoster {
  private readonly httpAgent = new HttpAgent(AGENT_OPTIONS);
  private readonly httpsAgent = new HttpsAgent(AGENT_OPTIONS);

  /** Rejects with {@link HttpPostError}, or with the signal's reason when the caller gave up. */
  async post(request: HttpPostRequest): Promise<HttpPostResponse> {
    try {
      return await this.attempt(request);
    } catch (error) {
      // The server may close an idle connection at the very moment we reuse it; that is no fault of the server.
      if (error instanceof StaleSocketError) return this.attempt(request, false);
      throw error;
    }
  }

  /** Closes idle connections and breaks running requests. */
  close(): void {
    this.httpAgent.destroy();
    this.httpsAgent.destroy();
  }

  private attempt(request: HttpPostRequest, reuse = true): Promise<HttpPostResponse> {
    const { url, signal } = request;
    signal?.throwIfAborted();
    const secure = url.protocol === 'https:';
    const payload = Buffer.from(request.body);
    return new Promise((resolve, reject) => {
      const outgoing = (secure ? httpsRequest : httpRequest)(url, {
        method: 'POST',
        agent: reuse && (secure ? this.httpsAgent : this.httpAgent),
        headers: {
          'accept-encoding': acceptedEncoding(url),
          ...request.headers,
          'content-length': payload.length,
        },
      });
      let answered = false;
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        finish();
      };
      const fail = (error: unknown) => {
        settle(() => reject(toError(error)));
        outgoing.destroy();
      };
      const onAbort = () => fail(signal?.reason);
      const timer = setTimeout(
        () => fail(new HttpPostError('TIMED_OUT', `no complete answer within ${request.timeoutMs} ms`)),
        request.timeoutMs,
      );
      signal?.addEventListener('abort', onAbort, { once: true });
      outgoing.on('error', (error) => {
        const stale = outgoing.reusedSocket && !answered;
        fail(stale ? new StaleSocketError() : connectionError(error));
      });
      outgoing.on('response', (response) => {
        answered = true;
        readBounded(response, request.maxResponseBytes).then((body) => {
          const { statusCode: status = 0, headers } = response;
          settle(() => resolve({ status, body, retryAfter: headers['retry-after'] }));
        }, fail);
      });
      outgoing.end(payload);
    });
  }
}

const AGENT_OPTIONS = {
  keepAlive: true,
  maxSockets: MAX_SOCKETS_PER_HOST,
  maxFreeSockets: MAX_IDLE_SOCKETS_PER_HOST,
  scheduling: 'lifo',
} as const;

class StaleSocketError extends Error {}

/** Receipts are ten times smaller compressed; over our own network that would cost more time than it saves. */
export function acceptedEncoding({ protocol, hostname }: URL): 'gzip' | 'identity' {
  return protocol === 'https:' || !isNearby(hostname.replace(/^\[|\]$/g, '')) ? 'gzip' : 'identity';
}

/** Names without a dot (localhost, a container's) are no public ones. */
function isNearby(host: string): boolean {
  return isIP(host) === 0 ? !host.includes('.') : isPrivateAddress(host);
}

/** By events: an asynchronous iterator costs several times as much, which short answers feel. */
function readBounded(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const tooLarge = () => new HttpPostError('TOO_LARGE', `answer of more than ${maxBytes} bytes`);
    if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
    const chunks: Buffer[] = [];
    let size = 0;
    const body = unfolded(response);
    body.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) reject(tooLarge());
      else chunks.push(chunk);
    });
    body.on('end', () => resolve(Buffer.concat(chunks, size)));
    body.on('error', (error) => reject(connectionError(error)));
    body.on('close', () => {
      if (!body.readableEnded) reject(connectionError(undefined));
    });
  });
}

function unfolded(response: IncomingMessage): Readable {
  if (response.headers['content-encoding'] !== 'gzip') return response;
  // The reader hears of every failure itself.
  return pipeline(response, createGunzip({ chunkSize: GUNZIP_CHUNK_BYTES }), () => undefined);
}

function connectionError(cause: unknown): HttpPostError {
  return new HttpPostError('CONNECTION', `connection failed (${systemCodeOf(cause)})`, { cause });
}

function systemCodeOf(error: unknown): string {
  const hasCode =
    typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string';
  return hasCode ? String(error.code) : 'unknown cause';
}

/** The reason of a signal, which may be anything. */
export function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error('aborted', { cause: error });
}
