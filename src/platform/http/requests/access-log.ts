import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../config/config.module.js';
import { type FinishedRequest, FinishedRequests } from './finished-requests.js';
import { routePathOf } from './route-path.js';

/**
 * One line per request. Of what the caller sent, it contains only the method and the path of the route: no keys,
 * signatures, addresses or tokens.
 */
@Injectable()
export class AccessLog implements OnModuleInit {
  private readonly logger = new Logger(AccessLog.name);

  constructor(
    private readonly config: Config,
    private readonly requests: FinishedRequests,
  ) {}

  onModuleInit(): void {
    if (this.config.env.ACCESS_LOG) this.requests.forEach((finished) => this.write(finished));
  }

  private write({ request, status, durationMs, bytes }: FinishedRequest): void {
    const { id: requestId, method } = request;
    const end = status === undefined ? { aborted: true } : { status };
    const rounded = { durationMs: Math.round(durationMs * 10) / 10, bytes };
    this.logger.log({ requestId, method, route: routePathOf(request), ...end, ...rounded }, 'request');
  }
}
