import { Injectable } from '@nestjs/common';
import { type Caller, PUBLIC_ORG } from '../../access/keys/caller.js';
import { ApiError, badRequest } from '../../platform/http/errors/api-error.js';
import type { ApiUsageQuery } from './dto/api-usage.request.js';
import { type ApiUsageResponse, toMetrics } from './dto/api-usage.response.js';
import { type Dimension, type Grouping, REQUEST_TYPE } from '../../access/usage/usage.js';
import { UsageRepository, type UsageRow } from './usage.repository.js';
import type { UsageQuestion } from './usage-query.js';
import { DAY_SECONDS } from '../../platform/time.js';

const DEFAULT_DAYS = 30;
/** Each reads a day of the log, and has a connection that all other requests may need. */
const MAX_COUNTS_OF_MINUTES = 2;
const RETRY_AFTER_SECONDS = 2;

interface Period {
  readonly from: number;
  readonly to: number;
}

@Injectable()
export class ApiUsageService {
  private countsOfMinutes = 0;

  constructor(private readonly usage: UsageRepository) {}

  async get(query: ApiUsageQuery, caller: Caller | undefined): Promise<ApiUsageResponse> {
    const orgId = allowedOrg(query.orgId, caller);
    const { timeInterval, groupBy } = query;
    const period = periodOf(query, nowSeconds());
    const rows =
      timeInterval === 'minute'
        ? await this.countMinutes(orgId, query, period)
        : await this.rowsOf(orgId, query, period);
    return {
      aggregateDuration: timeInterval,
      orgId,
      metrics: toMetrics(withType(rows, groupBy), { timeInterval, groupBy }),
    };
  }

  /**
   * Minutes are counted from the log, which is long: one day of them is an answer, the last that has any. Throws the 503 of a process
   * that counts for others.
   */
  private async countMinutes(orgId: string, query: ApiUsageQuery, { from, to }: Period): Promise<UsageRow[]> {
    if (this.countsOfMinutes >= MAX_COUNTS_OF_MINUTES) {
      const message = 'minutes are being counted for others; try again in a moment, or ask for hours';
      throw new ApiError(503, message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    this.countsOfMinutes += 1;
    try {
      const last = await this.usage.lastHour({ orgId, from, to, filters: filtersOf(query) });
      if (last === undefined) return [];
      return await this.rowsOf(orgId, query, { from: Math.max(from, dayOf(last)), to });
    } finally {
      this.countsOfMinutes -= 1;
    }
  }

  private async rowsOf(orgId: string, query: ApiUsageQuery, period: Period): Promise<UsageRow[]> {
    const { timeInterval, groupBy, requestType } = query;
    if (requestType !== undefined && requestType !== REQUEST_TYPE) return [];
    return this.usage.find({
      orgId,
      timeInterval,
      ...period,
      filters: filtersOf(query),
      groupBy: dimensionOf(groupBy),
    });
  }
}

function filtersOf({
  requestPath,
  responseCode,
  chainId,
  apiKeyId,
}: ApiUsageQuery): UsageQuestion['filters'] {
  return { requestPath, responseCode, chainId, apiKeyId };
}

/** Throws a 401 or 403 for the figures of others. */
function allowedOrg(asked: string | undefined, caller: Caller | undefined): string {
  const own = caller?.orgId ?? PUBLIC_ORG;
  if (asked === undefined || asked === own) return own;
  if (caller?.apiKeyId === undefined) throw new ApiError(401, 'orgId: a key of this organisation is needed');
  throw new ApiError(403, 'orgId: is not the organisation of this key');
}

function periodOf(
  { startTimestamp, endTimestamp }: Pick<ApiUsageQuery, 'startTimestamp' | 'endTimestamp'>,
  now: number,
): Period {
  const to = endTimestamp === undefined ? now + 1 : dayOf(endTimestamp);
  const from = dayOf(startTimestamp ?? Math.max(0, to - DEFAULT_DAYS * DAY_SECONDS));
  if (from > to) {
    const limit = endTimestamp === undefined ? 'in the future' : 'after endTimestamp';
    throw badRequest(`startTimestamp: must not be ${limit}`);
  }
  return { from, to: Math.min(to, Math.max(from, now + 1)) };
}

function dimensionOf(groupBy: Grouping | undefined): Dimension | undefined {
  return groupBy === 'requestType' ? undefined : groupBy;
}

function withType(rows: readonly UsageRow[], groupBy: Grouping | undefined): readonly UsageRow[] {
  return groupBy === 'requestType' ? rows.map((row) => ({ ...row, groupValue: REQUEST_TYPE })) : rows;
}

function dayOf(seconds: number): number {
  return Math.floor(seconds / DAY_SECONDS) * DAY_SECONDS;
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
