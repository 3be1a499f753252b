import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { shortIdToHex } from '../../src/avalanche/ids/text.js';
import { PRIMARY_NETWORK } from '../../src/avalanche/platformvm/ids.js';
import { Database, type Statement } from '../../src/platform/database/database.js';
import { BlockOutlineRepository } from '../../src/resources/changes/block-outline.repository.js';
import { ChangeRepository } from '../../src/resources/changes/change.repository.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { P_CHAIN } from '../support/http/fed-p-chain.js';
import { isRecord } from '../support/http/list-api.js';
import { workOf } from '../support/http/plan-work.js';

const BLOCKS = 60_000;
const READ_BLOCKS = 100;
const OWNER = shortIdToHex(new Uint8Array(20).fill(17));

/** One UTXO a block, consumed in the next one, and one change of a validator. */
async function fill(database: DataSource): Promise<void> {
  const id = `decode(lpad(to_hex(n), 64, '0'), 'hex')`;
  const [zero, owner] = [`decode('${PRIMARY_NETWORK}', 'hex')`, `decode('${OWNER}', 'hex')`];
  const numbers = `generate_series(1, ${BLOCKS}) AS n`;
  await database.query(
    `INSERT INTO utxos (network, utxo_id, tx_id, output_index, asset_id, amount, created_on_chain_id, spendable_on_chain_id,
       block_height, block_time, owner_locktime, owner_threshold, owner_addresses, consuming_tx_id, consuming_block_height, consuming_block_time)
     SELECT 'fuji', ${id}, ${id}, 0, ${zero}, 1, ${zero}, ${zero}, n, n, 0, 1, ARRAY[${owner}], ${id}, n + 1, n + 1 FROM ${numbers}`,
  );
  await database.query(
    `INSERT INTO utxo_listings (network, chain, address, is_spent, block_time, amount, utxo_id, asset_id, threshold, spent_height)
     SELECT 'fuji', 'P', address, true, n, 1, ${id}, ${zero}, 1, n + 1
       FROM ${numbers} CROSS JOIN unnest(ARRAY['', ${owner}]) AS address`,
  );
  await database.query(
    `INSERT INTO validator_set_members (network, subnet_id, member_id, from_height, until_height, node_id, weight)
     SELECT 'fuji', ${zero}, ${owner}, n, n + 1, ${owner}, n FROM ${numbers}`,
  );
  await database.query('ANALYZE utxos, utxo_listings, validator_set_members, l1_validators');
}

let dataSource: DataSource;

beforeAll(async () => {
  dataSource = await createMigratedDatabase();
  await fill(dataSource);
});

async function explain({ text, values }: Statement) {
  const [row] = await dataSource.query<Record<string, unknown>[]>(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, [
    ...values,
  ]);
  const plans = row?.['QUERY PLAN'];
  const plan: unknown = Array.isArray(plans) ? plans[0] : undefined;
  return workOf(isRecord(plan) ? plan['Plan'] : undefined);
}

describe(ChangeRepository.name, () => {
  it.each([0, BLOCKS / 2, BLOCKS - READ_BLOCKS])(
    'reads the rows of the blocks behind %i alone, however many others there are',
    async (from) => {
      const repository = new ChangeRepository(new Database(dataSource));
      const statement = repository.statement(
        { network: 'fuji', addresses: [OWNER], evmAddresses: [], nodeIds: [OWNER] },
        {
          chain: P_CHAIN,
          chainId: PRIMARY_NETWORK,
          from: BigInt(from),
          to: BigInt(from + READ_BLOCKS),
          skip: 0,
          limit: 201,
          others: new Map([['aa'.repeat(32), 1n]]),
        },
      );
      const work = await explain(statement ?? { text: '', values: [] });
      expect(work.sequentialScans).toEqual([]);
      expect(work.rowsRead).toBeGreaterThan(READ_BLOCKS);
      // Of each kind and direction so many rows, of some with the row beside it.
      expect(work.rowsRead).toBeLessThanOrEqual(8 * READ_BLOCKS);
    },
  );
});

describe(BlockOutlineRepository.name, () => {
  it.each([
    [0, READ_BLOCKS],
    [BLOCKS / 2, BLOCKS],
    [BLOCKS - 1, BLOCKS],
    [2 * BLOCKS, 3 * BLOCKS],
  ])('reads a row of each table, however many blocks there are: %i to %i', async (from, to) => {
    const repository = new BlockOutlineRepository(new Database(dataSource));
    const blocks = { chainId: PRIMARY_NETWORK, from: BigInt(from), to: BigInt(to) };
    const work = await explain(repository.statement(P_CHAIN, blocks));
    expect(work.sequentialScans).toEqual([]);
    expect(work.rowsRead).toBeLessThanOrEqual(4);
    expect(await repository.find(P_CHAIN, blocks)).toEqual({ pending: null, hasChanges: from < BLOCKS });
  });
});
