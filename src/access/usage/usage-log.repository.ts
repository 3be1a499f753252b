import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { RequestRecord } from './usage.js';

/** Requests that could not be stored for so long count as of later: an hour is summed up once, some minutes after its end. */
const LATE_AFTER = "interval '5 minutes'";

const INSERT = `
INSERT INTO api_requests (at, org_id, api_key_id, request_path, response_code, chain_id, units, duration_ms,
  requests)
SELECT least(greatest(to_timestamp(at / 1000), now() - ${LATE_AFTER}), now()), org_id, api_key_id, request_path, response_code,
  chain_id, units, duration_ms, requests
  FROM unnest($1::float8[], $2::text[], $3::uuid[], $4::text[], $5::int[], $6::text[], $7::int[], $8::float4[], $9::int[])
    AS request (at, org_id, api_key_id, request_path, response_code, chain_id, units, duration_ms, requests)`;

@Injectable()
export class UsageLogRepository {
  constructor(private readonly database: Database) {}

  async insert(records: readonly RequestRecord[]): Promise<void> {
    await this.database.execute({
      text: INSERT,
      values: [
        records.map(({ at }) => at),
        records.map(({ orgId }) => orgId),
        records.map(({ apiKeyId }) => apiKeyId ?? null),
        records.map(({ requestPath }) => requestPath),
        records.map(({ responseCode }) => responseCode),
        records.map(({ chainId }) => chainId ?? null),
        records.map(({ units }) => units),
        records.map(({ durationMs }) => durationMs),
        records.map(({ requests }) => requests),
      ],
      onePlan: true,
    });
  }
}
