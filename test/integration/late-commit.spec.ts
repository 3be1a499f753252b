import { describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DataSource } from 'typeorm';
import { runIndexer } from '../../activities/run-indexer.js';
import { IndexProgressRepository } from '../../src/indexes/engine/progress/index-progress.repository.js';
import { Database } from '../../src/platform/database/database.js';
import { CLEAR, Link, Sky } from '../faults/topology/link.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { eventually } from '../support/harness/eventually.js';
import { advanceToTip, checkpointOf } from '../support/indexer.js';
import { createIndexer, startPChain } from '../support/p-chain/p-chain-index.js';
import { localGenesis, PChainGenerator } from '../../sandbox/generated/p-chain-generator.js';
import { patientDataSource } from '../support/harness/data-source-options.js';

const PLACE = { network: 'fuji', chain: 'p-chain' } as const;
const BLOCKS = 30;
/** Of the lock that a commit waits for. */
const GATE = 7;

/** A database whose commits of checkpoints wait while a gate is shut. */
async function createGatedDatabase(): Promise<{
  dataSource: DataSource;
  setGate: (state: GateState) => Promise<void>;
}> {
  const dataSource = await createMigratedDatabase();
  await dataSource.query(
    `CREATE FUNCTION pass_gate() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN PERFORM pg_advisory_xact_lock_shared(${GATE}); RETURN NULL; END $$`,
  );
  await dataSource.query(
    `CREATE CONSTRAINT TRIGGER gate AFTER INSERT OR UPDATE ON index_checkpoints
       DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION pass_gate()`,
  );
  const keeper = dataSource.createQueryRunner();
  onCleanup(() => keeper.release());
  const setGate = async (state: GateState): Promise<void> => {
    await keeper.query(`SELECT ${state === 'shut' ? 'pg_advisory_lock' : 'pg_advisory_unlock'}(${GATE})`);
  };
  return { dataSource, setGate };
}

type GateState = 'shut' | 'open';

/** The same database over a connection that can be cut. */
async function connectOverLink(dataSource: DataSource): Promise<{ dataSource: DataSource; link: Link }> {
  const { url = '' } = { url: undefined, ...dataSource.options };
  const sky = new Sky(() => 0);
  sky.set(CLEAR);
  const { hostname: host, port } = new URL(url);
  const link = await Link.open({ at: { host: '127.0.0.1', port: 0 }, to: { host, port: Number(port) }, sky });
  const behind = new URL(url);
  behind.port = new URL(link.url).port;
  const linked = await new DataSource(patientDataSource({ url: behind.href, poolSize: 2 })).initialize();
  onCleanup(() => linked.destroy());
  onCleanup(() => link.close());
  return { dataSource: linked, link };
}

describe('a batch that is committed after its connection broke', () => {
  it.each([
    ['the first one', 0],
    ['a later one', BLOCKS - 5],
  ])('is waited for by the next attempt, which goes on from it: %s', async (_, indexed) => {
    const node = await startPChain(new PChainGenerator(await localGenesis()).take(BLOCKS));
    const { dataSource, setGate } = await createGatedDatabase();
    if (indexed > 0) {
      node.setPChainBehaviour({ kind: 'tip', height: indexed });
      await advanceToTip(createIndexer(dataSource, [node.url]).indexer);
      node.setPChainBehaviour({ kind: 'honest' });
    }
    const waiting = async (text: string): Promise<boolean> => {
      const [row] = await dataSource.query<{ count: string }[]>(
        `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
           AND wait_event = 'advisory' AND query LIKE $1`,
        [text],
      );
      return row?.count === '1';
    };
    const advance = (place: DataSource): Promise<unknown> =>
      new MockActivityEnvironment().run(runIndexer, {
        indexer: createIndexer(place, [node.url]).indexer,
        durationMs: 100,
        place: PLACE,
        repository: new IndexProgressRepository(new Database(place)),
        signal: new AbortController().signal,
      });

    await setGate('shut');
    const { dataSource: linked, link } = await connectOverLink(dataSource);
    const broken = expect(advance(linked)).rejects.toThrow(/Connection terminated/);
    await eventually('a commit that waits', () => waiting('COMMIT'));
    link.close();
    await broken;

    const next = advance(dataSource);
    await eventually('an attempt that waits for it', () => waiting('%hashtextextended%'));
    await setGate('open');
    await next;
    await advanceToTip(createIndexer(dataSource, [node.url]).indexer);
    expect(await checkpointOf(dataSource)).toBe(BLOCKS - 1);
  });
});
