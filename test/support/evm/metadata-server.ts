import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

type Handler = (response: ServerResponse, request: IncomingMessage) => void;

const MEBIBYTE = 1024 * 1024;

/** A host of NFT metadata, good and bad, on the loopback. */
export class MetadataServer {
  /** Paths in the order in which they were asked for. */
  readonly asked: string[] = [];
  /** Most requests at a time. */
  mostAtOnce = 0;
  readonly handlers = new Map<string, Handler>();
  private open = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<MetadataServer> {
    const server = createServer();
    const host = new MetadataServer(server);
    server.on('request', (request, response) => host.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return host;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** By name: the host that the service trusts. By number, nobody may ask it. */
  get name(): string {
    return `localhost:${this.port}`;
  }

  url(path: string): string {
    return `http://${this.name}${path}`;
  }

  serve(
    path: string,
    body: string | Buffer | object,
    headers: Record<string, string> = {},
    status = 200,
  ): void {
    const content = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    this.handlers.set(path, (response) => response.writeHead(status, headers).end(content));
  }

  redirect(path: string, location: string): void {
    this.serve(path, '', { location }, 302);
  }

  /** One mebibyte after the other, as long as somebody reads. */
  serveEndless(path: string): void {
    this.handlers.set(path, (response) => {
      const write = (): void => void (response.write(Buffer.alloc(MEBIBYTE, ' ')) && setImmediate(write));
      response.on('drain', write);
      write();
    });
  }

  /** A blank now and then, and never an end. */
  serveDrip(path: string): void {
    this.handlers.set(path, (response) => {
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    });
  }

  /** A hundred mebibytes in a hundred kilobytes. */
  serveBomb(path: string): void {
    this.serve(path, gzipSync(Buffer.alloc(100 * MEBIBYTE, ' ')), { 'content-encoding': 'gzip' });
  }

  /** Takes the request, and sends nothing. */
  serveNothing(path: string): void {
    this.handlers.set(path, () => undefined);
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '';
    this.asked.push(path);
    this.open += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.open);
    response.on('close', () => (this.open -= 1));
    const handler = this.handlers.get(path);
    if (handler === undefined) response.writeHead(404).end();
    else handler(response, request);
  }
}
