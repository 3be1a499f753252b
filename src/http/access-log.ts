import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { Config } from '../config/config.module.js';
import { routePathOf } from './route-path.js';

/** When a request came, and what its connection had sent before. */
interface Start {
  readonly atMs: number;
  readonly bytesSent: number;
}

/**
 * One line per request. Of what the caller sent it has the method alone, and the path as the route has it: neither keys nor
 * signatures, addresses or tokens.
 */
@Injectable()
export class AccessLog implements OnModuleInit {
  private readonly logger = new Logger(AccessLog.name);
  private readonly starts = new WeakMap<IncomingMessage, Start>();

  constructor(
    private readonly config: Config,
    private readonly host: HttpAdapterHost,
  ) {}

  onModuleInit(): void {
    if (!this.config.env.ACCESS_LOG) return;
    const server: FastifyInstance = this.host.httpAdapter.getInstance();
    server.addHook('onRequest', ({ raw }, _reply, done) => {
      this.starts.set(raw, { atMs: performance.now(), bytesSent: raw.socket.bytesWritten });
      done();
    });
    server.addHook('onResponse', (request, { statusCode }, done) => {
      this.write(request, { status: statusCode });
      done();
    });
    server.addHook('onRequestAbort', (request, done) => {
      this.write(request, { aborted: true });
      done();
    });
  }

  /** Once, also for a caller who leaves while he is answered. */
  private write(request: FastifyRequest, end: { status: number } | { aborted: true }): void {
    const start = this.starts.get(request.raw);
    if (start === undefined) return;
    this.starts.delete(request.raw);
    const { id: requestId, method, raw } = request;
    const durationMs = Math.round((performance.now() - start.atMs) * 10) / 10;
    // With the headers, as they went over the wire.
    const bytes = raw.socket.bytesWritten - start.bytesSent;
    this.logger.log({ requestId, method, route: routePathOf(request), ...end, durationMs, bytes }, 'request');
  }
}
