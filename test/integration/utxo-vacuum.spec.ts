import { describe, expect, it } from '@jest/globals';
import { poolOf } from '../../src/platform/database/data-source.js';
import { partitionOf } from '../../src/platform/database/chains.js';
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
});
