import { beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import type { Indexer } from '../../src/indexes/engine/following/indexer.js';
import {
  type PChainBehaviourInput,
  type Sandbox,
  startSandbox,
  type XChainBehaviourInput,
} from '../../sandbox/sandbox.js';
import { defaultXChainRecording } from '../../sandbox/x-chain/default-recording.js';
import { advanceToTip, checkpointOf, digestTables } from '../support/indexer.js';
import { createIndexer } from '../support/p-chain/p-chain-index.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { eventually } from '../support/harness/eventually.js';
import { createXIndexer } from '../support/x-chain/x-chain-index.js';
import { NODE_PATIENCE_MS } from '../support/node-patience.js';

const SHORT_PATIENCE_MS = 1_500;
const STILL_TRYING = 'still trying';
const never = new Promise<never>(() => undefined);

const TIP = defaultXChainRecording().blocks.length - 1;
const SPOILT = 10;
const OPTIONS = { batchBlocks: 4 };
/** Of a node that is silent. */
const SHORT_TIMEOUT_MS = 1_000;

describe('the sandbox as a node to index an X-chain from', () => {
  let sandbox: Sandbox;
  let expected: Record<string, string>;

  beforeAll(async () => {
    sandbox = await startSandbox({ validators: 1, blockIntervalMs: 0 });
    onCleanup(() => sandbox.stop());
    const database = await createMigratedDatabase();
    await advanceToTip(createXIndexer(database, [sandbox.url]).indexer);
    expected = await digestTables(database);
  });

  /** Its state once it waits or is at the tip, or the code of what it stops with or is tried again for. */
  const verdictOf = async (indexer: Indexer, enough: () => Promise<unknown>): Promise<string> => {
    const attempt = new AbortController();
    void enough().then(() => attempt.abort());
    const request = { durationMs: 200, signal: attempt.signal, onProgress: () => undefined };
    try {
      for (;;) {
        const { state, height, tip } = await indexer.advance(request);
        if (state === 'waiting' || height === tip) return state;
      }
    } catch (error) {
      if (attempt.signal.aborted) return STILL_TRYING;
      if (error instanceof Error && 'code' in error) return String(error.code);
      throw error;
    }
  };

  const asked = (): number => Object.values(sandbox.calls).reduce((sum, calls) => sum + calls, 0);

  /** It goes on where it was once the node behaves, and ends with the rows that it always has. */
  const expectRecovery = async (database: DataSource): Promise<void> => {
    sandbox.setXChainBehaviour({ kind: 'honest' });
    await advanceToTip(createXIndexer(database, [sandbox.url]).indexer);
    expect(await checkpointOf(database)).toBe(TIP);
    expect(await digestTables(database)).toEqual(expected);
  };

  it.each<[PChainBehaviourInput, string]>([
    [{ kind: 'garbage', form: 'type-id' }, 'NO_USABLE_NODE'],
    [{ kind: 'garbage', form: 'checksum' }, 'NO_USABLE_NODE'],
    [{ kind: 'timeout' }, 'NO_USABLE_NODE'],
    [{ kind: 'tooManyRequests', retryAfterSeconds: 0 }, STILL_TRYING],
    [{ kind: 'empty' }, 'waiting'],
  ])('misbehaves all at once (%j), and the index is: %s', async (behaviour, verdict) => {
    const enough = () => (verdict === STILL_TRYING ? delay(SHORT_PATIENCE_MS) : never);
    const timeoutMs = behaviour.kind === 'timeout' ? SHORT_TIMEOUT_MS : NODE_PATIENCE_MS;
    const options = { ...OPTIONS, timeoutMs };
    const { url } = sandbox;
    const [ofP, ofX] = [await createMigratedDatabase(), await createMigratedDatabase()];
    sandbox.setXChainBehaviour({ kind: 'tip', height: SPOILT });
    await advanceToTip(createIndexer(ofP, [url]).indexer);
    await advanceToTip(createXIndexer(ofX, [url]).indexer);
    sandbox.advance(1);
    sandbox.setPChainBehaviour(behaviour);
    sandbox.setXChainBehaviour(behaviour);
    expect([
      await verdictOf(createIndexer(ofP, [url], options).indexer, enough),
      await verdictOf(createXIndexer(ofX, [url], options).indexer, enough),
    ]).toEqual([verdict, verdict]);
    expect(await checkpointOf(ofX)).toBe(SPOILT);
    sandbox.setPChainBehaviour({ kind: 'honest' });
    await expectRecovery(ofX);
  });

  it.each<[XChainBehaviourInput, string, number]>([
    [{ kind: 'garbage', form: 'type-id' }, 'UNKNOWN_TYPE_ID', -1],
    [{ kind: 'wrongParent', fromHeight: SPOILT }, 'WRONG_PARENT', SPOILT - 1],
    [{ kind: 'gap', height: SPOILT }, STILL_TRYING, SPOILT - 1], // another one behind the address may have it
    [{ kind: 'tip', height: SPOILT }, 'running', SPOILT],
  ])(
    'misbehaves (%j), the index is: %s, and all up to block %d is kept',
    async (behaviour, verdict, height) => {
      const database = await createMigratedDatabase();
      sandbox.setXChainBehaviour(behaviour);
      const { indexer } = createXIndexer(database, [sandbox.url], OPTIONS);
      /** All before is read, and it has been asked for often. */
      const allBefore = async (): Promise<void> => {
        await eventually('all before it', async () => (await checkpointOf(database)) === height);
        const before = asked();
        await eventually('more questions', () => asked() > before + 5);
      };
      expect(await verdictOf(indexer, () => (verdict === STILL_TRYING ? allBefore() : never))).toBe(verdict);
      expect(await checkpointOf(database)).toBe(height);
      await expectRecovery(database);
    },
  );

  it.each<[XChainBehaviourInput, string]>([
    [{ kind: 'wrongParent' }, 'FOREIGN_CHAIN'],
    [{ kind: 'tip', height: SPOILT }, 'waiting'],
    [{ kind: 'empty' }, 'waiting'],
  ])('misbehaves behind an index that is at the tip (%j), which is: %s', async (behaviour, verdict) => {
    const database = await createMigratedDatabase();
    await advanceToTip(createXIndexer(database, [sandbox.url]).indexer);
    sandbox.setXChainBehaviour(behaviour);
    expect(await verdictOf(createXIndexer(database, [sandbox.url], OPTIONS).indexer, () => never)).toBe(
      verdict,
    );
    await expectRecovery(database);
  });
});
