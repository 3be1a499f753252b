import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { randomUUID } from 'node:crypto';
import { type DataSource, IsNull, type Repository } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import { columnsOf } from '../../platform/database/entity-columns.js';
import { selectColumns, ShapedQuery } from '../../platform/database/shaped-query.js';
import { ApiKey, ApiOrganisation, ApiPlan } from './api-key.entities.js';
import { hashOfKey, makeApiKey, shownPartOf } from './api-key.js';

export type ApiKeyRecord = Omit<ApiKey, 'keyHash'>;

export type NewApiKey = Pick<ApiKey, 'orgId' | 'alias' | 'plan' | 'expiresAt'>;

/** A key that may be used, and what its holder may do. */
export interface ValidKey extends Pick<ApiKey, 'apiKeyId' | 'orgId'> {
  readonly plan: ApiPlan;
}

const NOW = 'extract(epoch FROM now())';

const KEY = columnsOf(ApiKey, 'apiKeyId', 'orgId');
const PLAN = columnsOf(ApiPlan);

@Injectable()
export class ApiKeysRepository {
  /** Without a container; the data source has the entities of keys. */
  static of(dataSource: DataSource): ApiKeysRepository {
    const keys = dataSource.getRepository(ApiKey);
    return new ApiKeysRepository(keys, dataSource.getRepository(ApiPlan), new Database(dataSource));
  }

  private readonly validKey = new ShapedQuery(() =>
    selectColumns(this.keys.createQueryBuilder('k'), { k: KEY, p: PLAN })
      .innerJoin(ApiPlan, 'p', 'p.plan = k.plan')
      .where(`k.keyHash = :hash AND k.revokedAt IS NULL AND (k.expiresAt IS NULL OR k.expiresAt > ${NOW})`),
  );

  constructor(
    @InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>,
    @InjectRepository(ApiPlan) private readonly planRows: Repository<ApiPlan>,
    private readonly database: Database,
  ) {}

  /** The key itself is returned here and never again. Undefined when there is no such plan. */
  async create(wanted: NewApiKey): Promise<(ApiKeyRecord & { key: string }) | undefined> {
    if ((await this.findPlan(wanted.plan)) === undefined) return undefined;
    const key = makeApiKey();
    const apiKeyId = randomUUID();
    const record = await this.keys.manager.transaction(async (manager) => {
      const organisation = { orgId: wanted.orgId, createdAt: () => NOW };
      await manager
        .createQueryBuilder()
        .insert()
        .into(ApiOrganisation)
        .values(organisation)
        .orIgnore()
        .execute();
      await manager.insert(ApiKey, {
        ...wanted,
        apiKeyId,
        keyHash: hashOfKey(key).toString('hex'),
        prefix: shownPartOf(key),
        createdAt: () => NOW,
      });
      return manager.findOneByOrFail(ApiKey, { apiKeyId });
    });
    return { ...record, key };
  }

  /** Of one organisation, or of all; oldest first. */
  list(orgId?: string): Promise<ApiKeyRecord[]> {
    return this.keys.find({
      where: orgId === undefined ? {} : { orgId },
      order: { createdAt: 'ASC', apiKeyId: 'ASC' },
    });
  }

  /** For good; one that was revoked before stays so. Undefined when there is no such key. */
  async revoke(apiKeyId: string): Promise<ApiKeyRecord | undefined> {
    await this.keys.update({ apiKeyId, revokedAt: IsNull() }, { revokedAt: () => NOW });
    return this.find(apiKeyId);
  }

  /** Gives a key another plan, which must be there. Undefined when there is no such key. */
  async assign(apiKeyId: string, plan: string): Promise<ApiKeyRecord | undefined> {
    await this.keys.update({ apiKeyId }, { plan });
    return this.find(apiKeyId);
  }

  /** Undefined for one that is unknown, revoked or expired. */
  async findValid(key: string): Promise<ValidKey | undefined> {
    const [row] = await this.database.query(this.validKey.statement({}, { hash: hashOfKey(key) }));
    return row && { ...KEY.read(row), plan: PLAN.read(row) };
  }

  plans(): Promise<ApiPlan[]> {
    return this.planRows.find({ order: { unitsPerMinute: 'ASC', plan: 'ASC' } });
  }

  async findPlan(plan: string): Promise<ApiPlan | undefined> {
    return (await this.planRows.findOneBy({ plan })) ?? undefined;
  }

  /** Changes some limits of a plan, which begins as given if there is none. Several at once change what each of them names. */
  async savePlan(plan: ApiPlan, limits: Partial<Omit<ApiPlan, 'plan'>>): Promise<ApiPlan> {
    await this.planRows.createQueryBuilder().insert().values(plan).orIgnore().execute();
    if (Object.keys(limits).length > 0) await this.planRows.update({ plan: plan.plan }, limits);
    return this.planRows.findOneByOrFail({ plan: plan.plan });
  }

  private async find(apiKeyId: string): Promise<ApiKeyRecord | undefined> {
    return (await this.keys.findOneBy({ apiKeyId })) ?? undefined;
  }
}
