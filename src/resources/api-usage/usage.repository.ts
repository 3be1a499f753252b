import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { DIMENSIONS } from '../../access/usage/usage.js';
import { ApiRequest } from '../../access/usage/usage.entities.js';
import { Database, type Statement } from '../../platform/database/database.js';
import { ShapedQuery } from '../../platform/database/shaped-query.js';
import { usageQuery, type UsageQuestion, type UsageShape } from './usage-query.js';

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
  private readonly query = new ShapedQuery((shape: UsageShape) => usageQuery(this.requests.manager, shape));

  constructor(
    @InjectRepository(ApiRequest) private readonly requests: Repository<ApiRequest>,
    private readonly database: Database,
  ) {}

  /** Times in ascending order; those without a request are left out. */
  find(question: UsageQuestion): Promise<UsageRow[]> {
    return this.database.query(this.statement(question));
  }

  statement({ timeInterval, groupBy, orgId, from, to, filters: values }: UsageQuestion): Statement {
    const filters = DIMENSIONS.filter((dimension) => values[dimension] !== undefined);
    const given = Object.fromEntries(filters.map((dimension) => [dimension, values[dimension]]));
    const parameters = { orgId, from, to, ...given };
    return this.query.statement({ timeInterval, groupBy, filters }, parameters, { onePlan: false });
  }

  /** UNIX seconds of an organisation's first request that is still in the log. */
  async firstInLog(orgId: string): Promise<number | undefined> {
    const first = await this.requests
      .createQueryBuilder('r')
      .select('extract(epoch FROM min(r.at))::float8', 'at')
      .where({ orgId })
      .getRawOne<{ at: number | null }>();
    return first?.at ?? undefined;
  }
}
