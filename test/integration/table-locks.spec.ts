import { ENTITIES } from '../support/entities.js';
import { listRepositories } from '../support/http/list-statements.js';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { shortIdToHex } from '../../src/avalanche/ids/text.js';
import { Database, type Statement } from '../../src/platform/database/database.js';
import { lockTables } from '../../src/indexes/engine/sql/table-locks.js';
import { PChainWriter } from '../../src/indexes/p-chain/p-chain-writer.js';
import { eventually } from '../support/harness/eventually.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { createTestDatabase } from '../support/harness/services.js';
import { patientDataSource } from '../support/harness/data-source-options.js';

const NETWORK = 'fuji';
const OWNER = shortIdToHex(new Uint8Array(20));
const PAGE = { network: NETWORK, sortOrder: 'desc', after: undefined, limit: 11 } as const;
const statement = (text: string) => ({ text, values: [] });

describe(lockTables.name, () => {
  let database: Database;
  let lists: readonly Statement[];

  beforeEach(async () => {
    const { url } = await createTestDatabase();
    const dataSource = await new DataSource(
      patientDataSource({ url, poolSize: 10, entities: ENTITIES, statementTimeoutMs: 30_000 }),
    ).initialize();
    onCleanup(() => dataSource.destroy());
    database = new Database(dataSource);
    const { delegators, utxos } = listRepositories(dataSource);
    const filters = { addresses: [OWNER], minAmount: 0n, includeSpent: false, spendsKnown: { since: 0n } };
    lists = [
      utxos.statement({ ...PAGE, chain: 'P', sortBy: 'timestamp', filters }, []),
      delegators.statement({ ...PAGE, filters: { rewardAddresses: [OWNER] } }),
    ];
  });

  /** Again and again, until the test stops it. Counts how often. */
  const repeat = (work: () => Promise<unknown>) => {
    const loop = { times: 0, isStopped: false };
    const run = async (): Promise<void> => {
      for (; !loop.isStopped; loop.times += 1) await work();
    };
    const ended = run();
    ended.catch(() => undefined); // looked at in the end
    return {
      loop,
      end: (): Promise<void> => {
        loop.isStopped = true;
        return ended;
      },
    };
  };

  it('lets lists be read and another chain be written while a chain is forgotten', async () => {
    const readers = [...lists, ...lists].map((list) => repeat(() => database.query(list)));
    // As the index of the X-chain does, between two reads of its node.
    const writer = repeat(() =>
      database.transaction(async (transaction) => {
        await transaction.execute(statement(`LOCK TABLE utxos_${NETWORK} IN ROW EXCLUSIVE MODE`));
        await transaction.query(statement('SELECT pg_sleep(0.3)'));
        await transaction.execute(statement(`LOCK TABLE utxo_listings_${NETWORK} IN ROW EXCLUSIVE MODE`));
      }),
    );
    await eventually('all are at work', () =>
      [...readers, writer].every(({ loop }) => loop.times > 0 || loop.isStopped),
    );
    const resets = new PChainWriter(database);
    for (let count = 0; count < 3; count += 1) await resets.reset(NETWORK);
    await Promise.all([...readers, writer].map(({ end }) => end()));
  });

  it('waits for nobody while it holds what others wait for', async () => {
    const tables = [`utxo_listings_${NETWORK}`, `utxos_${NETWORK}`];
    let leave = (): void => undefined;
    const left = new Promise<void>((resolve) => (leave = resolve));
    let arrive = (): void => undefined;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    // In the other order, as an unlucky plan may have it.
    const reading = database.transaction(async (transaction) => {
      await transaction.query(statement(`SELECT FROM utxos_${NETWORK}`));
      arrive();
      await left;
      await transaction.query(statement(`SELECT FROM utxo_listings_${NETWORK}`));
    });
    await arrived;
    const locking = database.transaction(async (transaction) => {
      await lockTables(transaction, tables);
      return transaction.query(statement('SHOW statement_timeout'));
    });
    await eventually('it waits for the reader', async () => {
      const waiting = await database.query(
        statement(`SELECT FROM pg_locks WHERE NOT granted AND relation = 'utxos_${NETWORK}'::regclass`),
      );
      return waiting.length > 0;
    });
    leave();
    await reading;
    expect(await locking).toEqual([{ statement_timeout: '30s' }]);
  });
});
