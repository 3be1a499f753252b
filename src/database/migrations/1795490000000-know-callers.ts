import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who calls the service, and what each may spend. Times are UNIX seconds. */
export class KnowCallers1795490000000 implements MigrationInterface {
  readonly name = 'KnowCallers1795490000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of [...KEYS, ...LIMITS]) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of [...TABLES].reverse()) await queryRunner.query(`DROP TABLE ${table}`);
  }
}

const TABLES = ['api_organisations', 'api_plans', 'api_keys', 'rate_limit_windows'];

const KEYS = [
  `CREATE TABLE api_organisations (
    org_id text NOT NULL,
    created_at bigint NOT NULL,
    CONSTRAINT api_organisations_pk PRIMARY KEY (org_id)
  )`,
  // `public` is the plan of callers without a key.
  `CREATE TABLE api_plans (
    plan text NOT NULL,
    units_per_minute bigint NOT NULL,
    units_per_day bigint NOT NULL,
    CONSTRAINT api_plans_pk PRIMARY KEY (plan)
  )`,
  // In the proportions of a public service; as this machine serves its own callers alone, a hundred times as much.
  `INSERT INTO api_plans (plan, units_per_minute, units_per_day) VALUES
    ('public', 600000, 120000000),
    ('free', 800000, 200000000),
    ('base', 1000000, 375000000),
    ('growth', 1400000, 1120000000),
    ('pro', 2000000, 2500000000)`,
  // key_hash: SHA-256 of the key, which nobody keeps; prefix: its first characters, for people to know it again.
  `CREATE TABLE api_keys (
    api_key_id uuid NOT NULL,
    org_id text NOT NULL,
    key_hash bytea NOT NULL,
    prefix text NOT NULL,
    alias text NOT NULL,
    plan text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    CONSTRAINT api_keys_pk PRIMARY KEY (api_key_id),
    CONSTRAINT api_keys_hash UNIQUE (key_hash),
    CONSTRAINT api_keys_org FOREIGN KEY (org_id) REFERENCES api_organisations,
    CONSTRAINT api_keys_plan FOREIGN KEY (plan) REFERENCES api_plans
  )`,
];

const LIMITS = [
  // What each subject has spent in its newest minute and day, counted since 1970, and how many requests were granted last. Not
  // logged, so that no request waits for the disk: a crash of Postgres forgives everybody. Room for a row's next version on its page.
  `CREATE UNLOGGED TABLE rate_limit_windows (
    subject text NOT NULL,
    minute int NOT NULL,
    minute_units bigint NOT NULL,
    day int NOT NULL,
    day_units bigint NOT NULL,
    granted bigint NOT NULL,
    CONSTRAINT rate_limit_windows_pk PRIMARY KEY (subject)
  ) WITH (fillfactor = 50)`,
];
