import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../keys/caller.js';
import { Callers } from '../keys/callers.js';
import { Config } from '../../platform/config/config.module.js';
import { ApiError } from '../../platform/http/errors/api-error.js';
import { API_KEY_HEADER } from '../../platform/http/schemas/api-key-header.js';
import { Refusals } from '../../platform/http/errors/refusals.js';
import { routePathOf } from '../../platform/http/requests/route-path.js';
import { DAY_SECONDS, MINUTE_SECONDS } from './rate-limit.js';
import { RateLimiter } from './rate-limiter.js';
import { unitsOf } from './units.js';

/** Stands before every route, and before anything of a request's body is read. */
@Injectable()
export class RequestGate implements OnModuleInit {
  constructor(
    private readonly config: Config,
    private readonly host: HttpAdapterHost,
    private readonly callers: Callers,
    private readonly limiter: RateLimiter,
    private readonly refusals: Refusals,
  ) {}

  onModuleInit(): void {
    const server: FastifyInstance = this.host.httpAdapter.getInstance();
    server.decorateRequest('caller', undefined);
    server.decorateRequest('units', 0);
    server.addHook('onRequest', (request, reply) => this.admit(request, reply));
  }

  private async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const cost = unitsOf(routePathOf(request));
    if (cost === 0) return;
    const key = request.headers[API_KEY_HEADER];
    const isWithKey = typeof key === 'string' && key !== '';
    const known = isWithKey ? await this.callers.withKey(key) : undefined;
    // Unknown keys are charged as anonymous.
    request.caller = known ?? (await this.callers.withoutKey(request.ip));
    if (this.config.env.RATE_LIMITS) await this.charge(request.caller, cost, reply);
    request.units = cost;
    if (isWithKey && known === undefined) {
      const message = `${API_KEY_HEADER}: is unknown, revoked or expired`;
      this.refusals.refuse('unknown_key', new ApiError(401, message));
    }
  }

  /** Throws the 429 of a caller who has nothing left. */
  private async charge({ subject, plan }: Caller, cost: number, reply: FastifyReply): Promise<void> {
    const limits = { perMinute: plan.unitsPerMinute, perDay: plan.unitsPerDay };
    const verdict = await this.limiter.spend(subject, cost, limits);
    void reply.headers({
      'ratelimit-policy': `${limits.perMinute};w=${MINUTE_SECONDS}, ${limits.perDay};w=${DAY_SECONDS}`,
      'ratelimit-limit': verdict.limit,
      'ratelimit-remaining': verdict.remaining,
    });
    if (verdict.isGranted) return;
    const { limit, retryAfterSeconds } = verdict;
    void reply.header('ratelimit-reset', retryAfterSeconds);
    const message = `the limit of ${limit} cost units is reached, try again in ${retryAfterSeconds} s`;
    this.refusals.refuse('rate_limit', new ApiError(429, message, { retryAfterSeconds }));
  }
}
