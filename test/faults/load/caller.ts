import { request } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { ServiceProcess } from '../topology/service-process.js';
import type { Kind, Outcome, RequestLog } from './request-log.js';

/** Longer than anything may take: an aggregation waits for its validators for half a minute. */
const SILENT_AFTER_MS = 60_000;
const SHOWN_CHARACTERS = 300;

export interface Question {
  readonly kind: Kind;
  /** As the usage metrics name it. */
  readonly route: string;
  readonly path: string;
  /** Makes it a POST. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly outcome: Outcome;
  readonly body: string;
}

/** Asks API processes, each time over a new connection, and logs what comes of it. */
export class Caller {
  constructor(
    private readonly log: RequestLog,
    /** Whom the service counts the requests for. */
    private readonly key: string,
  ) {}

  async ask(api: ServiceProcess, question: Question): Promise<Answer> {
    const startedAt = performance.now();
    const { outcome, body, hasRetryAfter } = await this.send(api.url, question);
    this.log.add({
      kind: question.kind,
      route: question.route,
      api: api.name,
      startedAt,
      endedAt: performance.now(),
      outcome,
      hasRetryAfter,
      message: typeof outcome === 'number' && outcome < 400 ? '' : body.slice(0, SHOWN_CHARACTERS),
    });
    return { outcome, body };
  }

  private send(
    baseUrl: string,
    { path, body, headers }: Question,
  ): Promise<Answer & { hasRetryAfter: boolean }> {
    const content =
      body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    return new Promise((resolve) => {
      const end = (outcome: Outcome, text: string, hasRetryAfter = false): void => {
        clearTimeout(timer);
        sent.destroy();
        resolve({ outcome, body: text, hasRetryAfter });
      };
      const timer = setTimeout(() => end('silent', `no answer after ${SILENT_AFTER_MS} ms`), SILENT_AFTER_MS);
      const fail = (error: NodeJS.ErrnoException): void =>
        end(error.code === 'ECONNREFUSED' ? 'refused' : 'broken', String(error));
      const options = {
        agent: false,
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'x-data-api-key': this.key, ...content, ...headers },
      };
      const sent = request(new URL(path, baseUrl), options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', fail);
        response.once('end', () =>
          end(
            response.statusCode ?? 0,
            Buffer.concat(chunks).toString('utf8'),
            response.headers['retry-after'] !== undefined,
          ),
        );
      });
      sent.once('error', fail);
      sent.end(body);
    });
  }
}
