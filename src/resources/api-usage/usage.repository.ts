import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { DIMENSIONS } from '../../access/usage/usage.js';
import { ApiRequest } from '../../access/usage/usage.entities.js';
import { Database, type Statement } from '../../platform/database/database.js';
import { ShapedQuery } from '../../platform/database/shaped-query.js';
import { lastHourQuery, MAX_VALUES, usageQuery, type UsageQuestion, type UsageShape } from './usage-query.js';

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

  /** The newest first; times without a request are left out, and one of which not all rows fit. */
  async find(question: UsageQuestion): Promise<UsageRow[]> {
    const rows = await this.database.query<UsageRow>(this.statement(question));
    const cut = rows.length < MAX_VALUES ? undefined : rows.at(-1)?.start;
    return rows.filter(({ start }) => start !== cut);
  }

  statement({ timeInterval, groupBy, ...place }: UsageQuestion): Statement {
    const { filters, parameters } = parametersOf(place);
    return this.query.statement({ timeInterval, groupBy, filters }, parameters, { onePlan: false });
  }

  /**
   * UNIX seconds at which the hour begins that has an organisation's last requests that pass the filters. Only what is not summed up yet
   * is looked for in the log: it has millions of rows for each answer.
   */
  async lastHour(place: UsagePlace): Promise<number | undefined> {
    const { filters, parameters } = parametersOf(place);
    const query = lastHourQuery(this.requests.manager, filters).setParameters(parameters);
    return (await query.getRawOne<{ at: number | null }>())?.at ?? undefined;
  }
}

type UsagePlace = Omit<UsageQuestion, 'timeInterval' | 'groupBy'>;

/** The filters that are given, and values by the names that queries have for them. */
function parametersOf({ filters: values, ...period }: UsagePlace) {
  const filters = DIMENSIONS.filter((dimension) => values[dimension] !== undefined);
  const given = Object.fromEntries(filters.map((dimension) => [dimension, values[dimension]]));
  return { filters, parameters: { ...period, ...given } };
}
