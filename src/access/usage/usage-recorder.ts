import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type FinishedRequest, FinishedRequests } from '../../platform/http/requests/finished-requests.js';
import { routePathOf } from '../../platform/http/requests/route-path.js';
import { ChainsSeen } from './chains-seen.js';
import { UsageLog } from './usage-log.js';

/** Of a caller who has gone before his answer began. */
const CALLER_GONE = 499;

/** Notes each answer, except on paths that need no key. */
@Injectable()
export class UsageRecorder implements OnModuleInit {
  private readonly chains = new ChainsSeen();

  constructor(
    private readonly requests: FinishedRequests,
    private readonly log: UsageLog,
  ) {}

  onModuleInit(): void {
    this.requests.forEach((finished) => this.record(finished));
  }

  private record({ request, begunStatus: responseCode = CALLER_GONE, durationMs }: FinishedRequest): void {
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
