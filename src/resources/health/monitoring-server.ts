import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Config } from '../../platform/config/config.module.js';
import { errorBody } from '../../platform/http/errors/api-error.js';
import { Metrics } from '../../platform/metrics/metrics.js';
import { Readiness } from './readiness.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const REQUEST_TIMEOUT_MS = 5_000;
/** Probes and a few Prometheus servers. */
const MAX_CONNECTIONS = 64;

interface Answer {
  status: number;
  type: string;
  body: string;
}

/**
 * HTTP endpoints of any process, API or worker, for operators' programs: `/metrics`, `/live` and `/ready`, at an address that callers of
 * the API need not reach.
 */
@Injectable()
export class MonitoringServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(MonitoringServer.name);
  private server: Server | undefined;

  constructor(
    private readonly config: Config,
    private readonly metrics: Metrics,
    private readonly readiness: Readiness,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { METRICS_ADDRESS: address } = this.config.env;
    if (address === undefined) return;
    this.metrics.includeProcess();
    const options = { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS };
    this.server = createServer(options, (request, response) => void this.answer(request, response));
    this.server.maxConnections = MAX_CONNECTIONS;
    this.server.listen(address.port, address.host);
    await once(this.server, 'listening');
    this.logger.log(`metrics, liveness and readiness at ${urlOf(this.server)}`);
  }

  /** Served to the end, so that monitoring sees the process end. */
  async onApplicationShutdown(): Promise<void> {
    if (this.server === undefined) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async answer({ method = '', url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.find(method, url).catch((error: unknown): Answer => {
      this.logger.error(error);
      return errorAnswer(500, 'unexpected error; the log has its cause');
    });
    response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body);
  }

  private async find(method: string, url: string): Promise<Answer> {
    if (method !== 'GET' && method !== 'HEAD') return errorAnswer(404, 'only GET is possible here');
    switch (url.split('?')[0]) {
      case '/metrics':
        return { status: 200, type: this.metrics.contentType, body: await this.metrics.text() };
      case '/live':
        return { status: 200, type: JSON_TYPE, body: '{"status":"ok"}' };
      case '/ready': {
        const answer = await this.readiness.check();
        const status = answer.status === 'ok' ? 200 : 503;
        return { status, type: JSON_TYPE, body: JSON.stringify(answer) };
      }
      default:
        return errorAnswer(404, 'there are /metrics, /live and /ready');
    }
  }
}

function errorAnswer(status: 404 | 500, message: string): Answer {
  return { status, type: JSON_TYPE, body: JSON.stringify(errorBody(status, message)) };
}

function urlOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') return 'an unknown address';
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
