import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { routePathOf } from '../http/route-path.js';
import { ChainsSeen } from './chains-seen.js';
import { UsageLog } from './usage-log.js';

/** Of a caller who has gone before he was answered. */
const CALLER_GONE = 499;

/** Notes each answer; those that nobody is asked for a key for do not count. */
@Injectable()
export class UsageRecorder implements OnModuleInit {
  private readonly chains = new ChainsSeen();

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly log: UsageLog,
  ) {}

  onModuleInit(): void {
    const server: FastifyInstance = this.host.httpAdapter.getInstance();
    server.addHook('onResponse', (request, reply, done) => {
      this.record(request, reply.statusCode, reply.elapsedTime);
      done();
    });
    server.addHook('onRequestAbort', (request, done) => {
      this.record(request, CALLER_GONE, 0);
      done();
    });
  }

  private record(request: FastifyRequest, responseCode: number, durationMs: number): void {
    const { caller, units } = request;
    if (caller === undefined) return;
    this.log.add({
      at: Date.now(),
      orgId: caller.orgId,
      apiKeyId: caller.apiKeyId,
      requestPath: routePathOf(request),
      responseCode,
      chainId: this.chains.of(request.params, responseCode),
      units,
      durationMs,
    });
  }
}
