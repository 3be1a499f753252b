import { beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import type { Hash } from '../../src/avalanche/evm/rpc/hex-values.js';
import { deliveriesToReport } from '../../src/resources/interchain-messages/delivery-events.js';
import { ENTITIES } from '../support/entities.js';
import { generatedSender, generateMessages } from '../support/evm/generated-messages.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { createTestDatabase } from '../support/harness/services.js';
import { isRecord } from '../support/http/list-api.js';
import { type Work, workOf } from '../support/http/plan-work.js';
import { patientDataSource } from '../support/harness/data-source-options.js';

const MESSAGES = 60_000;
const WEBHOOKS = 10_000;
const ADDRESSES = 16;
/** As many as the projection changes at a time. */
const BATCH = 1_000;
/** The delivery, the send beside it, the addresses of both. */
const ROWS_OF_A_MESSAGE = 8;
/** Of the generated messages, in UNIX seconds. */
const TIMES = { first: 1_600_000_000, last: 1_700_000_000 };

describe(deliveriesToReport.name, () => {
  let dataSource: DataSource;
  let newest: Hash[];

  beforeAll(async () => {
    const { url } = await createTestDatabase();
    const options = patientDataSource({ url, poolSize: 2, entities: ENTITIES });
    dataSource = await new DataSource(options).initialize();
    onCleanup(() => dataSource.destroy());
    await generateMessages(dataSource, MESSAGES);
    const rows: { id: string }[] = await dataSource.query(
      `SELECT encode(message_id, 'hex') AS id FROM icm_deliveries ORDER BY block_time DESC LIMIT ${BATCH}`,
    );
    newest = rows.map(({ id }): Hash => `0x${id}`);
  });

  const explain = async (now: number): Promise<Work & { rows: number }> => {
    const { text, values } = deliveriesToReport('mainnet', newest, now);
    const rows: unknown = await dataSource.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, [...values]);
    const row: unknown = Array.isArray(rows) ? rows[0] : undefined;
    const plans: unknown = isRecord(row) ? row['QUERY PLAN'] : undefined;
    const plan: unknown = Array.isArray(plans) ? plans[0] : undefined;
    if (!isRecord(plan) || !isRecord(plan['Plan'])) throw new Error('no plan');
    return Object.assign(workOf(plan['Plan']), { rows: Number(plan['Plan']['Actual Rows']) });
  };

  const now = TIMES.first + MESSAGES;

  it('reads nothing of the messages while nobody watches an address', async () => {
    expect(await explain(now)).toEqual({ sequentialScans: [], rowsRead: 0, rowsSorted: 0, rows: 0 });
  });

  it('looks up a few rows of each message, however many addresses are watched', async () => {
    await dataSource.query(`INSERT INTO api_organisations (org_id, created_at) VALUES ('ours', 0)`);
    await dataSource.query(
      `INSERT INTO webhooks (webhook_id, org_id, url, event_types, created_at)
       SELECT gen_random_uuid(), 'ours', 'https://wallet.example/' || i, '{message.delivered}', 0 FROM generate_series(1, ${WEBHOOKS}) i`,
    );
    await dataSource.query(
      `INSERT INTO webhook_addresses (address, webhook_id, since)
       SELECT substr(sha256((webhook_id::text || i)::bytea), 1, 20), webhook_id, 0 FROM webhooks, generate_series(1, ${ADDRESSES}) i`,
    );
    await dataSource.query('ANALYZE webhook_addresses');
    const idle = await explain(now);
    expect(idle).toMatchObject({ sequentialScans: [], rows: 0 });
    expect(idle.rowsRead).toBeGreaterThanOrEqual(BATCH);
    expect(idle.rowsRead).toBeLessThan(BATCH * ROWS_OF_A_MESSAGE);

    // Everybody watches the one that has sent a twentieth of them.
    await dataSource.query(
      'INSERT INTO webhook_addresses (address, webhook_id, since) SELECT $1, webhook_id, 0 FROM webhooks',
      [Buffer.from(await generatedSender(dataSource), 'hex')],
    );
    const busy = await explain(now);
    expect(busy.sequentialScans).toEqual([]);
    expect(busy.rows).toBeGreaterThan(BATCH / 40);
    expect(busy.rowsRead).toBeLessThan(BATCH * ROWS_OF_A_MESSAGE);
    // History is passed over without a look at whose it is.
    const old = await explain(TIMES.last);
    expect(old).toMatchObject({ sequentialScans: [], rows: 0 });
    expect(old.rowsRead).toBeLessThanOrEqual(BATCH + 1);
  });
});
