import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { staleTokens } from '../../src/indexes/evm/rows/token-rows.js';
import { evmChainKey } from '../../src/platform/database/chains.js';
import {
  generateEvmChain,
  TOKEN_CONTRACTS,
  tokenNumber,
} from '../../sandbox/generated/evm-chain-generator.js';
import { contractOf } from '../../sandbox/generated/contract.js';
import {
  advanceToEnd,
  advanceUntilDone,
  createEvmIndex,
  makeWriter,
  setTip,
  startEvmChain,
  TEST_CHAIN,
} from '../support/evm/evm-index.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { eventually } from '../support/harness/eventually.js';
import { advanceBriefly } from '../support/indexer.js';

const BLOCKS = 60;

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

describe('the tokens of a chain that is read anew', () => {
  it('are asked again, also where a worker remembers that it has asked', async () => {
    const database = await createMigratedDatabase();
    const node = await startEvmChain(generateEvmChain({ blocks: BLOCKS }));
    const [, contract] = TOKEN_CONTRACTS;
    node.cChain.contracts.set(contract!, contractOf(tokenNumber(1)));
    const symbol = async (): Promise<string | null | undefined> => {
      const [row] = await database.query<{ symbol: string | null }[]>(
        `SELECT symbol FROM evm_tokens WHERE contract = decode($1, 'hex')`,
        [contract!.slice(2)],
      );
      return row?.symbol;
    };
    const [one, other] = [1, 2].map(() => createEvmIndex(database, [node.cChainUrl]));
    await advanceToEnd(one!);
    expect(await symbol()).toBe('TK1');
    await makeWriter(database).goBack(TEST_CHAIN, 0n);
    expect(await symbol()).toBeNull();
    setTip(node, 0);
    await advanceUntilDone(other!.follower);
    setTip(node, BLOCKS - 1);
    await advanceUntilDone(one!.follower);
    await eventually('it is asked again', async () => {
      await advanceBriefly(other!.base);
      return (await symbol()) === 'TK1';
    });
  });
});
