import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { PRIMARY_NETWORK } from '../../src/avalanche/platformvm/ids.js';
import type { Indexer } from '../../src/indexes/engine/following/indexer.js';
import { defaultRecording } from '../../sandbox/p-chain/default-recording.js';
import { type PChainBehaviourInput, type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { cutRecording } from '../support/sandbox/cut-recording.js';
import { advanceBriefly, advanceToTip, checkpointOf, digestTables } from '../support/indexer.js';
import { createIndexer } from '../support/p-chain/p-chain-index.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { eventually } from '../support/harness/eventually.js';

const recording = defaultRecording();
const EMPTY_BLOCKS = 60;
/** After so many answers a misbehaviour has shown. */
const QUESTIONS = 3;

/** Of a sandbox that has been running for a while. Stopped afterwards. */
async function startNode(options: { advance?: number; cutAt?: number } = {}): Promise<Sandbox> {
  const { advance = EMPTY_BLOCKS, cutAt } = options;
  const sandbox = await startSandbox({
    validators: 1,
    blockIntervalMs: 0,
    recording: cutAt === undefined ? recording : cutRecording(recording, cutAt),
  });
  onCleanup(() => sandbox.stop());
  if (advance > 0) sandbox.advance(advance);
  return sandbox;
}

const advanceOnce = (indexer: Indexer) => advanceBriefly(indexer, 300);

describe('the sandbox as a node to index', () => {
  let expected: Record<string, string>;
  let database: DataSource;
  let tip: number;

  beforeAll(async () => {
    const sandbox = await startNode();
    database = await createMigratedDatabase();
    await advanceToTip(createIndexer(database, [sandbox.url]).indexer);
    expected = await digestTables(database);
    tip = Number(sandbox.height);
  });

  it('is indexed to its tip, with the state that the recorded node had', async () => {
    expect(await checkpointOf(database)).toBe(tip);
    const last = recording.answers.at(-1);
    const [stake] = await database.query<{ supply: string }[]>(
      'SELECT supply FROM subnet_stakes WHERE subnet_id = $1',
      [Buffer.from(PRIMARY_NETWORK, 'hex')],
    );
    expect(stake?.supply).toBe(last?.supply[PRIMARY_NETWORK_ID]?.supply);
    const [transactions] = await database.query<{ count: string }[]>(
      "SELECT count(*) FROM p_chain_transactions WHERE type NOT IN ('AdvanceTime', 'RewardValidator')",
    );
    expect(Number(transactions?.count)).toBeGreaterThan(50);
  });

  it('is followed at an address behind which are several nodes, some of them late', async () => {
    const sandbox = await startNode({ advance: EMPTY_BLOCKS - 10 });
    sandbox.setNodeBehaviour({ backends: [{}, { lagBlocks: 1 }, { lagBlocks: 3 }] });
    const balanced = await createMigratedDatabase();
    const { indexer } = createIndexer(balanced, [sandbox.url]);
    for (let i = 0; i < 10; i++) {
      sandbox.advance(1);
      await advanceOnce(indexer);
    }
    sandbox.setNodeBehaviour({});
    await advanceToTip(indexer);
    expect(await digestTables(balanced)).toEqual(expected);
  });

  it.each<PChainBehaviourInput>([
    { kind: 'garbage' },
    { kind: 'garbage', form: 'checksum' },
    { kind: 'tooManyRequests', retryAfterSeconds: 0 },
    { kind: 'timeout' },
    { kind: 'empty' },
  ])('misbehaves (%j), and nothing wrong is kept', async (behaviour) => {
    const sandbox = await startNode();
    const interrupted = await createMigratedDatabase();
    const { indexer } = createIndexer(interrupted, [sandbox.url], { timeoutMs: 1_000, batchBlocks: 10 });
    sandbox.setPChainBehaviour(behaviour);
    const running = new AbortController();
    const options = { durationMs: 60_000, signal: running.signal, onProgress: () => undefined };
    const advancing = indexer.advance(options).catch(() => undefined);
    const asked = (): number => Object.values(sandbox.calls).reduce((sum, calls) => sum + calls, 0);
    await Promise.race([advancing, eventually('several questions', () => asked() > QUESTIONS)]);
    // However it fails, or waits: the next attempt begins when this one has ended.
    running.abort(new Error('enough'));
    await advancing;
    expect(await checkpointOf(interrupted)).toBeLessThanOrEqual(0);
    sandbox.setPChainBehaviour({ kind: 'honest' });
    await advanceToTip(createIndexer(interrupted, [sandbox.url], { batchBlocks: 10 }).indexer);
    expect(await digestTables(interrupted)).toEqual(expected);
  });

  it('makes the index wait when it is started again at its last recorded block', async () => {
    const restarted = await startNode({ advance: 0 });
    const { indexer } = createIndexer(database, [restarted.url]);
    const before = await advanceOnce(indexer);
    expect(before.message ?? before.state).not.toMatch(/another chain/);
    expect(await checkpointOf(database)).toBe(tip);
    restarted.advance(EMPTY_BLOCKS + 5);
    await advanceToTip(createIndexer(database, [restarted.url]).indexer);
    expect(await checkpointOf(database)).toBe(tip + 5);
  });

  it('grows while it is indexed', async () => {
    const middle = recording.answers[recording.answers.length >> 1];
    const sandbox = await startNode({ cutAt: Number(middle?.height), advance: 0 });
    const own = await createMigratedDatabase();
    const { indexer } = createIndexer(own, [sandbox.url]);
    for (const blocks of [1, 2, 3]) {
      sandbox.advance(blocks);
      await advanceToTip(indexer);
      expect(await checkpointOf(own)).toBe(Number(sandbox.height));
    }
  });
});
