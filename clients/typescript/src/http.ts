import { parseLossless } from '../../../src/platform/http/adapter/lossless-json.js';
import { ConnectionError, type FailedRequest, makeApiError } from './errors.js';

export interface ClientOptions {
  /** Of the service, e.g. `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** In place of the global one. */
  readonly fetch?: typeof fetch;
  /** Ends all that the client does. */
  readonly signal?: AbortSignal;
  /** How often a request is sent again after a 429, a 503 or a lost connection. 3 by default. */
  readonly retries?: number;
}

export interface RequestOptions {
  readonly signal?: AbortSignal;
}

export interface HttpRequest extends RequestOptions {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Absolute, or a path of the service; only the latter gets the key. */
  readonly url: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Belongs to something that goes on for longer than the service is away when it is restarted. */
  readonly isPatient?: boolean;
}

const DEFAULT_RETRIES = 3;
const PASSING: ReadonlySet<number> = new Set([429, 503]);
/** A proxy answers with the others while the service behind it is restarted. */
const PASSING_OR_OF_PROXIES: ReadonlySet<number> = new Set([...PASSING, 502, 504]);
/** A longer `retry-after` is the caller's to wait for, as of an allowance that is used up for the day. */
const MAX_WAIT_SECONDS = 60;
/** After a lost connection or an answer that names no time; doubled each time. */
const FIRST_WAIT_SECONDS = 0.5;
const LAST_WAIT_SECONDS = 30;
/** For so long a patient request is sent again, however often. */
const PATIENCE_MS = 600_000;
/** Callers that were refused together come back apart: up to this share later than they may. */
const JITTER = 0.2;

/** Sends requests, again where that may help. Every request of the service may be repeated: exports carry a key that makes them so. */
export class Http {
  constructor(private readonly options: ClientOptions) {}

  /** The JSON of an answer of success, which is believed to follow the document. Throws as `send` does. */
  async sendForJson<Answer>(request: HttpRequest): Promise<{ body: Answer; headers: Headers }> {
    const { text, headers } = await this.send(request, async (response) => ({
      text: await response.text(),
      headers: response.headers,
    }));
    try {
      return { body: parseLossless(text) as Answer, headers };
    } catch (cause) {
      throw new ConnectionError('the answer is not JSON', detailsOf(request, 1), { cause });
    }
  }

  /** The bytes of an answer, as they come. Throws as `send` does. */
  async *sendForBytes(request: HttpRequest): AsyncGenerator<Uint8Array, void> {
    const response = await this.send(request, async (answer) => answer);
    try {
      for await (const chunk of response.body ?? []) yield chunk;
    } catch (cause) {
      throw this.toError(cause, request, 1);
    }
  }

  /** The part that is read of an answer of success. Throws ApiError, ConnectionError, and the reason of the signal. */
  async send<T>(request: HttpRequest, read: (response: Response) => Promise<T>): Promise<T> {
    const { retries = DEFAULT_RETRIES } = this.options;
    const patientUntil = request.isPatient === true && retries > 0 ? Date.now() + PATIENCE_MS : 0;
    for (let attempts = 1; ; attempts += 1) {
      const outcome = await this.attempt(request, read, attempts);
      if ('value' in outcome) return outcome.value;
      const { error } = outcome;
      const seconds = waitAfter(error, attempts, request);
      if ((attempts > retries && Date.now() > patientUntil) || seconds === undefined) throw error;
      await this.pause(seconds * 1_000, request);
    }
  }

  /** Throws the reason of the signal. */
  pause(ms: number, options: RequestOptions): Promise<void> {
    return wait(ms, this.signalOf(options));
  }

  private async attempt<T>(
    request: HttpRequest,
    read: (response: Response) => Promise<T>,
    attempts: number,
  ): Promise<{ value: T } | { error: Error }> {
    const { fetch: send = fetch } = this.options;
    const [url, init] = this.toFetch(request);
    try {
      const response = await send(url, init);
      return response.ok
        ? { value: await read(response) }
        : { error: await readError(response, detailsOf(request, attempts)) };
    } catch (cause) {
      return { error: this.toError(cause, request, attempts) };
    }
  }

  private toFetch(request: HttpRequest): [url: string, init: RequestInit] {
    const { method, url, body, headers } = request;
    const { baseUrl, apiKey } = this.options;
    const isOwn = url.startsWith('/');
    const signal = this.signalOf(request);
    return [
      isOwn ? `${baseUrl.replace(/\/+$/, '')}${url}` : url,
      {
        method,
        // The key must not follow a redirection to another host.
        redirect: isOwn ? 'error' : 'follow',
        headers: {
          ...headers,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(isOwn && apiKey !== undefined ? { 'x-data-api-key': apiKey } : {}),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      },
    ];
  }

  /** Throws the reason of the signal if that is why. */
  private toError(cause: unknown, request: HttpRequest, attempts: number): ConnectionError {
    this.signalOf(request)?.throwIfAborted();
    return new ConnectionError(`no answer: ${causeOf(cause)}`, detailsOf(request, attempts), { cause });
  }

  /** That of the client and that of the request. */
  private signalOf({ signal }: RequestOptions): AbortSignal | undefined {
    const signals = [this.options.signal, signal].filter((each) => each !== undefined);
    return signals.length > 1 ? AbortSignal.any(signals) : signals[0];
  }
}

/** Seconds after which to try again; undefined where that would not help, or takes too long. */
function waitAfter(
  error: Error & { status?: number; retryAfterSeconds?: number | undefined },
  attempts: number,
  { isPatient = false }: HttpRequest,
) {
  const passing = isPatient ? PASSING_OR_OF_PROXIES : PASSING;
  if (error.status !== undefined && !passing.has(error.status)) return undefined;
  const seconds =
    error.retryAfterSeconds ?? Math.min(LAST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** (attempts - 1));
  return seconds > MAX_WAIT_SECONDS ? undefined : seconds * (1 + JITTER * Math.random());
}

async function readError(response: Response, details: FailedRequest): Promise<Error> {
  const { status, headers } = response;
  return makeApiError({
    status,
    message: messageOf(await response.text()) ?? `HTTP ${status}`,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: retryAfterOf(headers),
    details,
  });
}

/** Of the service's own errors; a proxy's are HTML. */
function messageOf(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text);
    const hasMessage = typeof body === 'object' && body !== null && 'message' in body;
    return hasMessage && typeof body.message === 'string' ? body.message : undefined;
  } catch {
    return undefined;
  }
}

export function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function detailsOf({ method, url }: HttpRequest, attempts: number): FailedRequest {
  return { method, path: url.replace(/\?.*$/s, ''), attempts };
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
}

/** Throws the reason of the signal. */
function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = () => {
      clearTimeout(timer);
      reject(reasonOf(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error(String(reason));
}
