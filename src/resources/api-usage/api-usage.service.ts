import { Injectable } from '@nestjs/common';
import { type Caller, PUBLIC_ORG } from '../../access/keys/caller.js';
import { ApiError, badRequest } from '../../platform/http/errors/api-error.js';
import { PageTokens } from '../../platform/http/pagination/page-tokens.js';
import type { ApiUsageQuery } from './dto/api-usage.request.js';
import { type ApiUsageResponse, toMetrics } from './dto/api-usage.response.js';
import { type Dimension, type Grouping, REQUEST_TYPE, type TimeInterval } from '../../access/usage/usage.js';
import { UsageRepository, type UsageRow } from './usage.repository.js';

const DAY_SECONDS = 86_400;
const DEFAULT_DAYS = 30;

interface Period {
  readonly from: number;
  readonly to: number;
}

@Injectable()
export class ApiUsageService {
  constructor(
    private readonly usage: UsageRepository,
    private readonly pageTokens: PageTokens,
  ) {}

  async get({ pageToken, ...query }: ApiUsageQuery, caller: Caller | undefined): Promise<ApiUsageResponse> {
    const orgId = allowedOrg(query.orgId, caller);
    const { timeInterval, groupBy } = query;
    const scope = { path: ['apiUsageMetrics', orgId], query };
    const [reached] = (await this.pageTokens.read(scope, pageToken)) ?? [];
    const asked = await this.known(orgId, timeInterval, periodOf(query, nowSeconds()));
    const from = reached === undefined || reached === null ? asked.from : Number(reached);
    const page = { from, to: Math.min(asked.to, from + pageSeconds(timeInterval, groupBy)) };
    const rows = await this.rowsOf(orgId, query, page);
    const { nextPageToken } = await this.pageTokens.toPage(
      scope,
      { pageSize: 1, hasMore: page.to < asked.to },
      [page.to],
      (to) => [String(to)],
    );
    return {
      aggregateDuration: timeInterval,
      orgId,
      metrics: toMetrics(withType(rows, groupBy), { timeInterval, groupBy }),
      ...(nextPageToken === undefined ? {} : { nextPageToken }),
    };
  }

  /** Minutes only as far back as the log goes: pages are days, and a year of empty ones is of no use. */
  private async known(orgId: string, timeInterval: TimeInterval, { from, to }: Period): Promise<Period> {
    if (timeInterval !== 'minute') return { from, to };
    const first = await this.usage.firstInLog(orgId);
    return { from: Math.min(to, Math.max(from, dayOf(first ?? to))), to };
  }

  private async rowsOf(
    orgId: string,
    query: Omit<ApiUsageQuery, 'pageToken'>,
    period: Period,
  ): Promise<UsageRow[]> {
    const { timeInterval, groupBy, requestType, requestPath, responseCode, chainId, apiKeyId } = query;
    if (requestType !== undefined && requestType !== REQUEST_TYPE) return [];
    return this.usage.find({
      orgId,
      timeInterval,
      ...period,
      filters: { requestPath, responseCode, chainId, apiKeyId },
      groupBy: dimensionOf(groupBy),
    });
  }
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
  if (from > to) throw badRequest('startTimestamp: must not be after endTimestamp');
  return { from, to: Math.min(to, Math.max(from, now + 1)) };
}

/** What one answer holds at most; the coarser intervals are few. */
function pageSeconds(timeInterval: TimeInterval, groupBy: Grouping | undefined): number {
  switch (timeInterval) {
    case 'minute':
      return DAY_SECONDS;
    case 'hourly':
      return (groupBy === undefined ? 366 : 31) * DAY_SECONDS;
    case 'daily':
    case 'weekly':
    case 'monthly':
      return Infinity;
  }
}

function dimensionOf(groupBy: Grouping | undefined): Dimension | undefined {
  return groupBy === 'requestType' ? undefined : groupBy;
}

function withType(rows: readonly UsageRow[], groupBy: Grouping | undefined): readonly UsageRow[] {
  return groupBy === 'requestType' ? rows.map((row) => ({ ...row, groupValue: REQUEST_TYPE })) : rows;
}

function dayOf(seconds: number): number {
  return seconds - (seconds % DAY_SECONDS);
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
