import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { NodeFront } from './node-front.js';
import { HttpFault, NOT_FOUND, type RpcEndpoint } from './rpc/endpoint.js';

/** Far above any request; only keeps a mistake from filling the memory. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

export interface TextAnswer {
  readonly status: number;
  readonly contentType: 'application/json' | 'text/plain; charset=utf-8';
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers a request that is not JSON-RPC, or undefined for a path it does not know. */
export type PlainRoute = (request: {
  method: string;
  path: string;
  body: string;
  isJson: boolean;
}) => TextAnswer | undefined;

export interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  /** Sent with every answer, as nodes do. */
  readonly nodeId: string;
  /** By path. */
  readonly endpoints: ReadonlyMap<string, RpcEndpoint>;
  readonly plain: PlainRoute;
  /** Interceptors that JSON-RPC calls pass. */
  readonly front: NodeFront;
}

/** The HTTP side of a node: JSON-RPC on some paths, the rest plain. */
export class SandboxHttpServer {
  private readonly server: Server;

  constructor(private readonly options: HttpServerOptions) {
    this.server = createServer((request, response) => {
      response.setHeader('node-id', options.nodeId);
      this.handle(request).then(
        (answer) => send(response, answer),
        (error: unknown) => send(response, text(500, String(error))),
      );
    });
    this.server.keepAliveTimeout = 120_000; // the node's idle timeout
  }

  /** Starts and returns the port. */
  async listen(): Promise<number> {
    const { host, port } = this.options;
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, resolve);
    });
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new TypeError('not a TCP server');
    return address.port;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private async handle(request: IncomingMessage): Promise<TextAnswer> {
    const path = new URL(request.url ?? '/', 'http://sandbox').pathname;
    const method = request.method ?? 'GET';
    const contentType = request.headers['content-type'] ?? '';
    const isJson = /^application\/json\s*(;|$)/i.test(contentType);
    const body = await readBody(request);
    if (body === undefined) return text(413, 'request body too large');
    const endpoint = this.options.endpoints.get(path);
    if (endpoint === undefined) {
      return this.options.plain({ method, path, body, isJson }) ?? text(NOT_FOUND.status, NOT_FOUND.body);
    }
    const refusal = endpoint.refuse({ method, contentType, isJson });
    return refusal === undefined ? this.answerRpc(endpoint, body) : text(refusal.status, refusal.body);
  }

  private async answerRpc(endpoint: RpcEndpoint, body: string): Promise<TextAnswer> {
    try {
      const answer = await this.options.front.answer(endpoint, body);
      return { status: 200, contentType: 'application/json', body: answer };
    } catch (error) {
      if (!(error instanceof HttpFault)) throw error;
      const { answer } = error;
      if (answer === 'silence') return new Promise(() => {}); // until either side closes the connection
      return { ...text(answer.status, answer.body), headers: answer.headers };
    }
  }
}

function text(status: number, body: string): TextAnswer {
  return { status, contentType: 'text/plain; charset=utf-8', body };
}

export function json(status: number, value: unknown): TextAnswer {
  return { status, contentType: 'application/json', body: JSON.stringify(value) };
}

/** Undefined when it is too large. It is still read to its end: otherwise the connection could not be used again. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return size <= MAX_BODY_BYTES ? Buffer.concat(chunks).toString('utf8') : undefined;
}

function send(response: ServerResponse, { status, contentType, body, headers }: TextAnswer): void {
  if (response.destroyed) return;
  response
    .writeHead(status, { ...headers, 'content-type': contentType, 'content-length': Buffer.byteLength(body) })
    .end(body);
}
