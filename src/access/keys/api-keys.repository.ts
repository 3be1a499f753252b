import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Database } from '../../platform/database/database.js';
import type { Statement } from '../../platform/database/statement.js';
import { hashOfKey, makeApiKey, shownPartOf } from './api-key.js';
import type { Plan } from './caller.js';

export interface ApiKeyRecord {
  readonly apiKeyId: string;
  readonly orgId: string;
  readonly prefix: string;
  readonly alias: string;
  readonly plan: string;
  /** UNIX seconds. */
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

export interface NewApiKey {
  readonly orgId: string;
  readonly alias: string;
  readonly plan: string;
  readonly expiresAt: number | null;
}

/** A key that may be used, and what its holder may do. */
export interface ValidKey {
  readonly apiKeyId: string;
  readonly orgId: string;
  readonly plan: Plan;
}

const NOW = 'extract(epoch FROM now())';

/** bigint columns that stay below 2^53 come as numbers. */
const KEY_COLUMNS = `api_key_id AS "apiKeyId", org_id AS "orgId", prefix, alias, plan, created_at::float8 AS "createdAt",
  expires_at::float8 AS "expiresAt", revoked_at::float8 AS "revokedAt"`;
const PLAN_COLUMNS = `plan, units_per_minute::float8 AS "unitsPerMinute", units_per_day::float8 AS "unitsPerDay",
  running_exports AS "runningExports", stored_exports AS "storedExports", stored_bytes::float8 AS "storedBytes",
  scanned_blocks_per_day::float8 AS "scannedBlocksPerDay",  waiting_aggregations AS "waitingAggregations"`;

@Injectable()
export class ApiKeysRepository {
  constructor(private readonly database: Database) {}

  /** The key itself is told here and never again. Undefined when there is no such plan. */
  async create({
    orgId,
    alias,
    plan,
    expiresAt,
  }: NewApiKey): Promise<(ApiKeyRecord & { key: string }) | undefined> {
    const key = makeApiKey();
    return this.database.transaction(async (transaction) => {
      if ((await transaction.query(planNamed(plan))).length === 0) return undefined;
      await transaction.execute({
        text: `INSERT INTO api_organisations (org_id, created_at) VALUES ($1, ${NOW}) ON CONFLICT DO NOTHING`,
        values: [orgId],
      });
      const [record] = await transaction.query<ApiKeyRecord>({
        text: `INSERT INTO api_keys (api_key_id, org_id, key_hash, prefix, alias, plan, created_at, expires_at)
          VALUES ($1, $2, $3, $4, $5, $6, ${NOW}, $7) RETURNING ${KEY_COLUMNS}`,
        values: [randomUUID(), orgId, hashOfKey(key), shownPartOf(key), alias, plan, expiresAt],
      });
      return record === undefined ? undefined : { ...record, key };
    });
  }

  /** Of one organisation, or of all; oldest first. */
  list(orgId?: string): Promise<ApiKeyRecord[]> {
    return this.database.query({
      text: `SELECT ${KEY_COLUMNS} FROM api_keys WHERE $1::text IS NULL OR org_id = $1 ORDER BY created_at, api_key_id`,
      values: [orgId ?? null],
    });
  }

  /** For good; one that was revoked before stays so. Undefined when there is no such key. */
  async revoke(apiKeyId: string): Promise<ApiKeyRecord | undefined> {
    const [record] = await this.database.query<ApiKeyRecord>({
      text: `UPDATE api_keys SET revoked_at = coalesce(revoked_at, ${NOW}) WHERE api_key_id = $1 RETURNING ${KEY_COLUMNS}`,
      values: [apiKeyId],
    });
    return record;
  }

  /** Gives a key another plan. Undefined when there is no such key or plan. */
  async assign(apiKeyId: string, plan: string): Promise<ApiKeyRecord | undefined> {
    const [record] = await this.database.query<ApiKeyRecord>({
      text: `UPDATE api_keys SET plan = $2 WHERE api_key_id = $1 AND EXISTS (SELECT FROM api_plans WHERE plan = $2)
        RETURNING ${KEY_COLUMNS}`,
      values: [apiKeyId, plan],
    });
    return record;
  }

  /** Undefined for one that is unknown, revoked or expired. */
  async findValid(key: string): Promise<ValidKey | undefined> {
    const [row] = await this.database.query<Plan & { apiKeyId: string; orgId: string }>({
      text: `SELECT api_key_id AS "apiKeyId", org_id AS "orgId", ${PLAN_COLUMNS} FROM api_keys JOIN api_plans USING (plan)
        WHERE key_hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${NOW})`,
      values: [hashOfKey(key)],
      onePlan: true,
    });
    if (row === undefined) return undefined;
    const { apiKeyId, orgId, ...plan } = row;
    return { apiKeyId, orgId, plan };
  }

  plans(): Promise<Plan[]> {
    return this.database.query({
      text: `SELECT ${PLAN_COLUMNS} FROM api_plans ORDER BY units_per_minute, plan`,
      values: [],
    });
  }

  async findPlan(name: string): Promise<Plan | undefined> {
    const [plan] = await this.database.query<Plan>(planNamed(name));
    return plan;
  }

  /** A new one, or another content of one that is known. */
  async savePlan({ plan, ...limits }: Plan): Promise<void> {
    await this.database.execute({
      text: `INSERT INTO api_plans (plan, units_per_minute, units_per_day, running_exports, stored_exports, stored_bytes,
          scanned_blocks_per_day, waiting_aggregations) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (plan) DO UPDATE SET units_per_minute = EXCLUDED.units_per_minute,
          units_per_day = EXCLUDED.units_per_day, running_exports = EXCLUDED.running_exports,
          stored_exports = EXCLUDED.stored_exports, stored_bytes = EXCLUDED.stored_bytes,
          scanned_blocks_per_day = EXCLUDED.scanned_blocks_per_day,
          waiting_aggregations = EXCLUDED.waiting_aggregations`,
      values: [
        plan,
        limits.unitsPerMinute,
        limits.unitsPerDay,
        limits.runningExports,
        limits.storedExports,
        limits.storedBytes,
        limits.scannedBlocksPerDay,
        limits.waitingAggregations,
      ],
    });
  }
}

function planNamed(name: string): Statement {
  return {
    text: `SELECT ${PLAN_COLUMNS} FROM api_plans WHERE plan = $1`,
    values: [name],
    onePlan: true,
  };
}
