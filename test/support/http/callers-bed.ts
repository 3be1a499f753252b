import { ApiKeysRepository } from '../../../src/access/keys/api-keys.repository.js';
import { KeyKeeper } from '../../../src/access/keys/key-keeper.js';
import { OperationsApi } from './operations-api.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Nobody listens there: nothing here needs workflows. */
const NO_TEMPORAL = '127.0.0.1:9';

/** API processes over one database, and the keeper of its keys. */
export class CallersBed {
  private constructor(
    readonly apis: readonly OperationsApi[],
    readonly keeper: KeyKeeper,
    readonly repository: ApiKeysRepository,
  ) {}

  static async start({
    processes = 1,
    env = {},
  }: { processes?: number; env?: Record<string, string> } = {}): Promise<CallersBed> {
    const options = { temporalAddress: NO_TEMPORAL, env };
    const first = await OperationsApi.start(options);
    const others = Array.from({ length: processes - 1 }, () =>
      OperationsApi.start({ ...options, databaseUrl: first.databaseUrl }),
    );
    const repository = ApiKeysRepository.of(first.dataSource);
    return new CallersBed([first, ...(await Promise.all(others))], new KeyKeeper(repository), repository);
  }

  get databaseUrl(): string {
    return this.first().databaseUrl;
  }

  first(): OperationsApi {
    const [first] = this.apis;
    if (first === undefined) throw new Error('no process');
    return first;
  }

  async get(path: string, headers: Record<string, string> = {}, api = this.first()): Promise<Answer> {
    const response = await fetch(`${api.url}${path}`, { headers });
    const body: unknown = JSON.parse(await response.text());
    return { status: response.status, headers: response.headers, body };
  }

  /** A key of a plan of its own. */
  async keyWith(plan: string, limits: { unitsPerMinute: number; unitsPerDay: number }): Promise<string> {
    await this.keeper.savePlan({ plan }, limits);
    const { key } = await this.keeper.create({ orgId: plan, alias: plan, plan });
    return key;
  }
}

export const withKey = (key: string): Record<string, string> => ({ 'x-data-api-key': key });
