import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../keys/caller.js';
import { Callers } from '../keys/callers.js';
import { Config } from '../../platform/config/config.module.js';
import { KEY_PREFIX } from '../keys/api-key.js';
import { ApiError } from '../../platform/http/errors/api-error.js';
import { API_KEY_HEADER } from '../../platform/http/schemas/api-key-header.js';
import { Refusals } from '../../platform/http/errors/refusals.js';
import { routePathOf } from '../../platform/http/requests/route-path.js';
import { RateLimiter } from './rate-limiter.js';
import { answersIn, unitsOf } from './units.js';
import { DAY_SECONDS, MINUTE_SECONDS } from '../../platform/time.js';

/** A /48 of addresses may spend as much as so many of them: one customer may have all of it, and so may a town. */
const ADDRESSES_OF_SITE = 16;

/** Stands before every route, and before anything of a request's body is read. */
@Injectable()
export class RequestGate implements OnModuleInit {
  constructor(
    private readonly config: Config,
    private readonly host: HttpAdapterHost,
    private readonly callers: Callers,
    private readonly limiter: RateLimiter,
    private readonly refusals: Refusals,
  ) {
    // Before what compresses answers: it is their size that is charged.
    this.chargeForAnswersOf(this.server());
  }

  onModuleInit(): void {
    this.admitTo(this.server());
  }

  /** Of a server beside that of the API. */
  guard(server: FastifyInstance): void {
    this.chargeForAnswersOf(server);
    this.admitTo(server);
  }

  /** For what an answer costs beyond its path that passes the server's hooks by; it is not refused any more. */
  charge(request: FastifyRequest, units: number): void {
    if (request.units === 0) return;
    request.units += units;
    this.spendMore(request, units);
  }

  private chargeForAnswersOf(server: FastifyInstance): void {
    server.addHook('onSend', (request, reply, payload, done) => {
      if (request.units > 0) this.chargeForAnswer(request, reply, payload);
      done(null, payload);
    });
  }

  private admitTo(server: FastifyInstance): void {
    server.decorateRequest('caller', undefined);
    server.decorateRequest('units', 0);
    server.addHook('onRequest', (request, reply) => this.admit(request, reply));
  }

  private server(): FastifyInstance {
    return this.host.httpAdapter.getInstance();
  }

  private async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const cost = unitsOf(routePathOf(request));
    if (cost === 0) return;
    const key = request.headers[API_KEY_HEADER];
    const isWithKey = typeof key === 'string' && key !== '';
    if (!isWithKey) this.refuseMisplacedKey(request);
    const known = isWithKey ? await this.callers.withKey(key) : undefined;
    // Unknown keys are charged as anonymous.
    request.caller = known ?? (await this.callers.withoutKey(request.ip));
    if (this.config.env.RATE_LIMITS) await this.chargeOrRefuse(request.caller, cost, reply);
    request.units = cost;
    if (isWithKey && known === undefined) {
      const message = `${API_KEY_HEADER}: is unknown, revoked or expired`;
      this.refusals.refuse('unknown_key', new ApiError(401, message));
    }
  }

  /** A key that is not where it belongs would make its owner a stranger unnoticed. */
  private refuseMisplacedKey({ headers }: FastifyRequest): void {
    const header = ['authorization', 'x-api-key'].find((name) =>
      String(headers[name] ?? '')
        .replace(/^bearer /i, '')
        .startsWith(KEY_PREFIX),
    );
    if (header === undefined) return;
    const message = `${header}: keys belong into the header ${API_KEY_HEADER}`;
    this.refusals.refuse('unknown_key', new ApiError(401, message));
  }

  /** Throws the 429 of a caller who has nothing left. */
  private async chargeOrRefuse(
    { owner, site, plan }: Caller,
    cost: number,
    reply: FastifyReply,
  ): Promise<void> {
    const limits = limitsOf(plan);
    const own = await this.limiter.spend(owner, cost, limits);
    const ofSite = site === undefined || !own.isGranted ? own : await this.spendOfSite(site, cost, plan);
    const verdict = ofSite.isGranted ? own : ofSite;
    void reply.headers({
      'ratelimit-policy': `${limits.perMinute};w=${MINUTE_SECONDS}, ${limits.perDay};w=${DAY_SECONDS}`,
      'ratelimit-limit': verdict.limit,
      'ratelimit-remaining': verdict.remaining,
    });
    if (verdict.isGranted) return;
    const { limit, retryAfterSeconds } = verdict;
    void reply.header('ratelimit-reset', retryAfterSeconds);
    const span = limit === limits.perDay ? 'day' : 'minute';
    const message = `the limit of ${limit} cost units a ${span} is reached, try again in ${retryAfterSeconds} s`;
    this.refusals.refuse('rate_limit', new ApiError(429, message, { retryAfterSeconds }));
  }

  /** A large answer costs as much as several, and some cost more than their path; none is refused any more. */
  private chargeForAnswer(request: FastifyRequest, reply: FastifyReply, payload: unknown): void {
    const count = typeof payload === 'string' ? answersIn(Buffer.byteLength(payload)) : 1;
    request.units *= count;
    void reply.header('x-cost', request.units);
    this.spendMore(request, request.units - unitsOf(routePathOf(request)));
  }

  private spendMore(request: FastifyRequest, units: number): void {
    const { caller } = request;
    if (caller === undefined || !this.config.env.RATE_LIMITS) return;
    // In pieces, so that a caller with little left loses that.
    const piece = unitsOf(routePathOf(request));
    const { owner, site, plan } = caller;
    for (let left = units; left > 0; left -= piece) {
      void this.limiter.spend(owner, piece, limitsOf(plan));
      if (site !== undefined) void this.spendOfSite(site, piece, plan);
    }
  }

  private spendOfSite(site: string, cost: number, plan: Caller['plan']): ReturnType<RateLimiter['spend']> {
    return this.limiter.spend(`site:${site}`, cost, limitsOf(plan, ADDRESSES_OF_SITE));
  }
}

function limitsOf(plan: Caller['plan'], times = 1) {
  return { perMinute: times * plan.unitsPerMinute, perDay: times * plan.unitsPerDay };
}
