import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who calls the service, and what each may spend. Times are UNIX seconds. */
export class KnowCallers1795490000000 implements MigrationInterface {
  readonly name = 'KnowCallers1795490000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of [...KEYS, ...LIMITS, ...USAGE, ...QUOTAS]) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of [...TABLES].reverse()) await queryRunner.query(`DROP TABLE ${table}`);
  }
}

const TABLES = [
  'api_organisations',
  'api_plans',
  'api_keys',
  'rate_limit_windows',
  'api_requests',
  'api_usage',
  'api_usage_progress',
  'export_claims',
];

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
    running_exports int NOT NULL,
    stored_exports int NOT NULL,
    stored_bytes bigint NOT NULL,
    scanned_blocks_per_day bigint NOT NULL,
    waiting_aggregations int NOT NULL,
    CONSTRAINT api_plans_pk PRIMARY KEY (plan)
  )`,
  // In the proportions of a public service; as this machine serves its own callers alone, a hundred times as much.
  `INSERT INTO api_plans (plan, units_per_minute, units_per_day, running_exports, stored_exports, stored_bytes,
    scanned_blocks_per_day, waiting_aggregations) VALUES
    ('public', 600000, 120000000, 100, 1000, 20000000000, 20000000, 1000),
    ('free', 800000, 200000000, 100, 1000, 20000000000, 20000000, 1000),
    ('base', 1000000, 375000000, 150, 1500, 30000000000, 30000000, 1500),
    ('growth', 1400000, 1120000000, 200, 2000, 40000000000, 40000000, 2000),
    ('pro', 2000000, 2500000000, 400, 4000, 80000000000, 80000000, 4000)`,
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

const USAGE = [
  // The log of requests; api_key_id is null for those without a key, chain_id for those that are of no chain.
  `CREATE TABLE api_requests (
    at timestamptz NOT NULL,
    org_id text NOT NULL,
    api_key_id uuid,
    request_path text NOT NULL,
    response_code int NOT NULL,
    chain_id text,
    units int NOT NULL,
    duration_ms float4 NOT NULL
  )`,
  // Roll-up and removal.
  'CREATE INDEX api_requests_at_idx ON api_requests (at)',
  // Usage by the minute, and of the hours that are not rolled up yet.
  'CREATE INDEX api_requests_org_idx ON api_requests (org_id, at)',
  // Sums of an hour or a day (span) over every combination of the four dimensions; a bit of grouping is set for each that is summed
  // up, as Postgres' GROUPING does. Response times as counts per bucket (src/access/usage/latency-bucket.ts).
  `CREATE TABLE api_usage (
    org_id text NOT NULL,
    span text NOT NULL,
    "grouping" int NOT NULL,
    start_at timestamptz NOT NULL,
    request_path text,
    response_code int,
    chain_id text,
    api_key_id uuid,
    requests bigint NOT NULL,
    successes bigint NOT NULL,
    invalid bigint NOT NULL,
    units bigint NOT NULL,
    wasted bigint NOT NULL,
    median_bucket int NOT NULL,
    buckets int[] NOT NULL,
    counts bigint[] NOT NULL,
    CONSTRAINT api_usage_span CHECK (span IN ('hour', 'day'))
  )`,
  // Hours of a year from the index alone.
  `CREATE INDEX api_usage_cells_idx ON api_usage (org_id, span, "grouping", start_at) INCLUDE (request_path, response_code,
    chain_id, api_key_id, requests, successes, invalid, units, wasted, median_bucket)`,
  // Up to where sums are complete.
  `CREATE TABLE api_usage_progress (
    span text NOT NULL,
    rolled_up_to timestamptz NOT NULL,
    CONSTRAINT api_usage_progress_pk PRIMARY KEY (span)
  )`,
  "INSERT INTO api_usage_progress (span, rolled_up_to) VALUES ('hour', '-infinity'), ('day', '-infinity')",
];

const QUOTAS = [
  // Who has asked for an export, from before it was started; the blocks that it may read from nodes, and those that it has read.
  `CREATE TABLE export_claims (
    operation_id uuid NOT NULL,
    owner text NOT NULL,
    request_digest bytea NOT NULL,
    claimed_at bigint NOT NULL,
    max_scanned_blocks bigint NOT NULL,
    scanned_blocks bigint NOT NULL DEFAULT 0,
    CONSTRAINT export_claims_pk PRIMARY KEY (operation_id)
  )`,
  'CREATE INDEX export_claims_owner_idx ON export_claims (owner, claimed_at)',
];
