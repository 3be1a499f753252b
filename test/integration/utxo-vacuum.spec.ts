import { describe, expect, it } from '@jest/globals';
import { poolOf } from '../../src/platform/database/data-source.js';
import { partitionOf } from '../../src/platform/database/chains.js';
import { Database } from '../../src/platform/database/database.js';
import { PChainWriter } from '../../src/indexes/p-chain/p-chain-writer.js';
import { createMigratedDatabase } from '../support/harness/database.js';

const LISTINGS = partitionOf('utxo_listings', 'fuji', 'P');

describe('a vacuum of the UTXOs of a chain', () => {
  it('clears the indexes of the few that were just spent', async () => {
    const dataSource = await createMigratedDatabase();
    await dataSource.query(
      `INSERT INTO ${LISTINGS} (network, chain, address, is_spent, block_time, amount, utxo_id, asset_id, threshold)
       SELECT 'fuji', 'P', '\\x01', false, i, 1, sha256(i::text::bytea), '\\x00', 1 FROM generate_series(1, 20000) i`,
    );
    const connection = await poolOf(dataSource).connect();
    const notices: string[] = [];
    connection.on('notice', ({ message = '' }) => notices.push(message));
    await connection.query(`VACUUM ${LISTINGS}`);
    await connection.query(`UPDATE ${LISTINGS} SET is_spent = true WHERE block_time > 19990`);
    await connection.query(`VACUUM (VERBOSE) ${LISTINGS}`);
    connection.release();
    expect(notices.join('\n')).toContain('10 dead item identifiers removed');
  });

  it('comes by itself after few at the tip, and after a share of all while the chain is far behind', async () => {
    const dataSource = await createMigratedDatabase();
    const settings = async (): Promise<string> => {
      const [row] = await dataSource.query<{ options: string }[]>(
        `SELECT array_to_string(reloptions, ' ') AS options FROM pg_class WHERE oid = '${LISTINGS}'::regclass`,
      );
      return row?.options ?? '';
    };
    const vacuums = async (): Promise<number> => {
      const [row] = await dataSource.query<{ count: number }[]>(
        `SELECT vacuum_count::int AS count FROM pg_stat_user_tables WHERE relid = '${LISTINGS}'::regclass`,
      );
      return row?.count ?? 0;
    };
    const AT_TIP = 'autovacuum_vacuum_max_threshold=20000';
    const writer = new PChainWriter(new Database(dataSource));
    const asCreated = (await settings()).split(' ').sort();
    expect(asCreated).toContain(AT_TIP);
    await expect(writer.listingsVacuum.comesOften('fuji')).resolves.toBe(true);

    await writer.listingsVacuum.comeSeldom('fuji');
    await writer.listingsVacuum.comeSeldom('fuji'); // by a second process
    expect((await settings()).split(' ').sort()).toEqual(asCreated.filter((setting) => setting !== AT_TIP));
    await expect(writer.listingsVacuum.comesOften('fuji')).resolves.toBe(false);

    await new PChainWriter(new Database(dataSource)).settle('fuji', new AbortController().signal);
    expect(await vacuums()).toBe(1);
    expect((await settings()).split(' ').sort()).toEqual(asCreated);
    await expect(writer.listingsVacuum.comesOften('fuji')).resolves.toBe(true);
  });
});
