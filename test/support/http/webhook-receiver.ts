import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ReceivedCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** How it was answered, or NO_ANSWER. */
  readonly status: number;
}

/** Keeps no answer, so that the caller gives up. */
export const NO_ANSWER = 0;

/** With each answer; heeded when it throttles. */
export const RETRY_AFTER_SECONDS = 120;

/** Callers give up after fifteen, and call again. */
const LATE_AFTER_SECONDS = 10;

/** A receiver of webhooks on loopback. A call that it hears late, because its process stood still, it breaks off: it comes again. */
export class WebhookReceiver {
  calls: ReceivedCall[] = [];
  /** By path; 204 unless given. */
  readonly statuses = new Map<string, number>();

  private constructor(
    readonly host: string,
    private readonly server: Server,
  ) {}

  static async start(): Promise<WebhookReceiver> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const receiver = new WebhookReceiver(`127.0.0.1:${port}`, server);
    server.on('request', (request, response) => {
      const answer = (body: string): void => {
        const { url: path = '', headers } = request;
        const ageSeconds = Date.now() / 1000 - Number(headers['webhook-timestamp']);
        if (ageSeconds > LATE_AFTER_SECONDS) return void response.destroy();
        const status = receiver.statuses.get(path) ?? 204;
        receiver.calls.push({ path, headers, body, status });
        if (status === NO_ANSWER) return;
        response
          .writeHead(status, { location: '/elsewhere', 'retry-after': String(RETRY_AFTER_SECONDS) })
          .end('ignored');
      };
      // Whoever calls may be ended in between.
      text(request).then(answer, () => response.destroy());
    });
    return receiver;
  }

  urlOf(path: string): string {
    return `http://${this.host}${path}`;
  }

  /** Those with this `webhook-id`. */
  callsOf(eventId: string): ReceivedCall[] {
    return this.calls.filter(({ headers }) => headers['webhook-id'] === eventId);
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** Whether the Standard Webhooks specification lets the receiver believe it. */
export function isGenuine({ headers, body }: ReceivedCall, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const [id, time] = [String(headers['webhook-id']), String(headers['webhook-timestamp'])];
  const signature = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
  return (
    headers['webhook-signature'] === `v1,${signature}` && Math.abs(Date.now() / 1000 - Number(time)) < 300
  );
}
