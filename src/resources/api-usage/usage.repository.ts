import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Statement } from '../../platform/database/statement.js';
import { type UsageQuestion, usageStatement } from './usage-query.js';

/** One value of one time. */
export interface UsageRow {
  /** UNIX seconds. */
  readonly start: number;
  readonly groupValue: string | null;
  readonly requests: number;
  readonly successes: number;
  readonly invalid: number;
  readonly units: number;
  readonly wasted: number;
  readonly medianBucket: number;
}

@Injectable()
export class UsageRepository {
  constructor(private readonly database: Database) {}

  /** Times in ascending order; those without a request are left out. */
  find(question: UsageQuestion): Promise<UsageRow[]> {
    return this.database.query(usageStatement(question));
  }

  /** UNIX seconds of an organisation's first request that is still in the log. */
  async firstInLog(orgId: string): Promise<number | undefined> {
    const [row] = await this.database.query<{ at: number | null }>(firstRequest(orgId));
    return row?.at ?? undefined;
  }
}

function firstRequest(orgId: string): Statement {
  return {
    text: 'SELECT extract(epoch FROM min(at))::float8 AS at FROM api_requests WHERE org_id = $1',
    values: [orgId],
  };
}
