import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { staleTokens } from '../../src/indexes/evm/rows/token-rows.js';
import { evmChainKey } from '../../src/platform/database/chains.js';
import { TEST_CHAIN } from '../support/evm/evm-index.js';
import { createMigratedDatabase } from '../support/harness/database.js';

describe(staleTokens.name, () => {
  let database: DataSource;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    // Asked n hours ago; every hundredth in vain.
    await database.query(
      `INSERT INTO evm_tokens (chain_key, contract, asked_at, failure)
       SELECT $1, decode(lpad(to_hex(n), 40, '0'), 'hex'), now() - n * interval '1 hour', CASE n % 100 WHEN 0 THEN 'away' END
         FROM generate_series(1, 20000) AS n`,
      [evmChainKey(TEST_CHAIN)],
    );
    await database.query('ANALYZE evm_tokens');
  });

  it('names those that could not be asked, and then those asked long ago, the oldest of each first', async () => {
    const { text, values } = staleTokens(TEST_CHAIN, 202);
    const rows = await database.query<{ contract: Buffer }[]>(text, [...values]);
    const numbers = rows.map(({ contract }) => Number(`0x${contract.toString('hex')}`));
    expect([numbers[0], numbers[199], numbers[200], numbers[201]]).toEqual([20_000, 100, 19_999, 19_998]);
  });

  it('is read from indexes alone', async () => {
    const { text, values } = staleTokens(TEST_CHAIN, 20);
    const plan = await database.query<{ 'QUERY PLAN': string }[]>(`EXPLAIN ${text}`, [...values]);
    const lines = plan.map((row) => row['QUERY PLAN']).join('\n');
    expect(lines).toMatch(/evm_tokens_failed_idx/);
    expect(lines).toMatch(/evm_tokens_asked_idx/);
    expect(lines).not.toMatch(/Seq Scan/);
  });
});
