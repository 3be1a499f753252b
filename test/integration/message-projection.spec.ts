import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { readMessengerEvent } from '../../src/avalanche/icm/messenger-event.js';
import { evmChainKey } from '../../src/platform/database/chains.js';
import { EvmIndexRepository } from '../../src/indexes/evm/rows/evm-index.repository.js';
import { logBatch } from '../../src/indexes/evm/rows/log-rows.js';
import { logSetsOf } from '../../src/indexes/evm/sources/logs/log-sets.js';
import type { WatchedLog } from '../../src/indexes/evm/projections/watched-log.js';
import { ChainChanges } from '../../src/indexes/evm/rows/chain-changes.js';
import { Projector } from '../../src/indexes/evm/projections/projector.js';
import { CoverageRepository } from '../../src/indexes/engine/coverage/coverage.repository.js';
import { readMessageFacts } from '../../src/resources/interchain-messages/message-facts.js';
import { MessageProjection } from '../../src/resources/interchain-messages/message-projection.js';
import { advanceUntilDone, makeWriter, standAt, TEST_CHAIN } from '../support/evm/evm-index.js';
import { Messages } from '../support/signatures/messages.js';
import { messengerChain, receivedLog, sentLog } from '../support/evm/messenger-logs.js';
import {
  readMessengerRecording,
  type SideOfMessages,
  splitOverChains,
} from '../support/evm/messenger-recording.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { createTestDatabase } from '../support/harness/services.js';
import { patientDataSource } from '../support/harness/data-source-options.js';

const recording = readMessengerRecording();
const split = splitOverChains(recording);
const together: SideOfMessages = recording;
const MESSAGES = 8;

interface Batch {
  readonly side: SideOfMessages;
  readonly logs: readonly WatchedLog[];
}

/** All logs of the sides in any order and in batches of any size, some of them twice. */
function anyBatches(sides: readonly SideOfMessages[]): fc.Arbitrary<Batch[]> {
  const all = sides.flatMap((side) => side.logs.map((log) => ({ side, log })));
  return fc
    .record({
      order: fc.shuffledSubarray([...all, ...all], { minLength: 0 }),
      missing: fc.shuffledSubarray(all, { minLength: all.length }),
      sizes: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 }),
    })
    .map(({ order, missing, sizes }) => {
      const batches: Batch[] = [];
      let rest = [...order, ...missing];
      while (rest.length > 0) {
        const batch = rest.slice(0, sizes[batches.length % sizes.length]);
        rest = rest.slice(batch.length);
        for (const side of sides) {
          const logs = batch.flatMap((each) => (each.side === side ? [each.log] : []));
          if (logs.length > 0) batches.push({ side, logs });
        }
      }
      return batches;
    });
}

describe(MessageProjection.name, () => {
  let dataSource: DataSource;
  let messages: Messages;

  beforeAll(async () => {
    const { url } = await createTestDatabase();
    dataSource = await new DataSource(patientDataSource({ url, poolSize: 4 })).initialize();
    onCleanup(() => dataSource.destroy());
    messages = new Messages(dataSource);
  });

  const forgetAll = async (): Promise<void> => {
    await dataSource.query(
      'TRUNCATE icm_sends, icm_deliveries, icm_fees, icm_executions, icm_senders, icm_listings, icm_chains, evm_tokens',
    );
  };

  beforeEach(forgetAll);

  const applyAll = async (sides: readonly SideOfMessages[]): Promise<string[]> => {
    for (const { chain, logs } of sides) await messages.apply(chain, logs);
    return messages.rows();
  };

  it('understands every event of the original messenger', () => {
    const kinds = recording.logs.map((log) => readMessengerEvent(log).kind);
    expect(kinds).not.toContain('notUnderstood');
    expect(new Set(kinds).size).toBe(8);
    for (const { chain, logs } of [together, split.source, split.destination]) {
      expect(readMessageFacts(chain, logs).leftOut).toEqual(new Map());
    }
  });

  it.each([
    ['on one chain', [together]],
    ['over two chains', [split.source, split.destination]],
  ])('makes the same rows %s whatever the order, also of logs that come twice', async (_where, sides) => {
    const expected = await applyAll(sides);
    expect(expected.filter((row) => row.startsWith('icm_sends'))).toHaveLength(MESSAGES);
    await fc.assert(
      fc.asyncProperty(anyBatches(sides), async (batches) => {
        await forgetAll();
        for (const { side, logs } of batches) await messages.apply(side.chain, logs);
        expect(await messages.rows()).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  });

  it('makes the same rows when both chains write at once', async () => {
    const expected = await applyAll([split.source, split.destination]);
    for (let round = 0; round < 10; round += 1) {
      await forgetAll();
      await Promise.all(
        [split.source, split.destination].map(async ({ chain, logs }) => {
          for (const log of round % 2 === 0 ? logs : logs.toReversed()) await messages.apply(chain, [log]);
        }),
      );
      expect(await messages.rows()).toEqual(expected);
    }
  });

  it.each([
    ['source', split.source, split.destination],
    ['destination', split.destination, split.source],
  ])('forgets what the %s has recorded, and nothing else', async (_name, forgotten, kept) => {
    const expected = await applyAll([kept]);
    await applyAll([forgotten]);
    expect(await messages.rows()).not.toEqual(expected);
    await messages.clear(forgotten.chain);
    expect(await messages.rows()).toEqual(expected);
  });

  it('makes the same rows anew, from the logs on record alone, as while it grew', async () => {
    const expected = await applyAll([split.source, split.destination]);
    await forgetAll();
    const projections = [new MessageProjection()];
    const indexed = [split.source, split.destination].map(({ chain, logs }) => {
      const watched = { ...TEST_CHAIN, ...chain, messengers: [recording.messenger] };
      const [set] = logSetsOf(watched);
      if (set === undefined) throw new Error('no messages are watched');
      const projector = new Projector(watched, messages.database, projections, new ChainChanges(), 10);
      return { chain: watched, logs, set, projector };
    });
    for (const { chain } of indexed) await standAt(dataSource, chain, 26);
    // Of each chain, the newer half comes first.
    for (const range of [
      { from: 15n, to: 26n },
      { from: 0n, to: 14n },
    ]) {
      for (const { chain, logs, set, projector } of indexed) {
        const inRange = logs.filter(({ height }) => height >= range.from && height <= range.to);
        await makeWriter(dataSource).write({ chain, facets: [logBatch(set, range, inRange)] });
        await advanceUntilDone(projector);
      }
    }
    expect(await messages.rows()).toEqual(expected);
    await dataSource.query(`UPDATE icm_sends SET data = 'wrong'`);
    for (const { projector } of indexed) await projector.reset();
    await Promise.all(indexed.map(({ projector }) => advanceUntilDone(projector)));
    expect(await messages.rows()).toEqual(expected);
    for (const { chain } of indexed) await makeWriter(dataSource).goBack(chain, 0n);
    for (const { projector } of indexed) await advanceUntilDone(projector);
    expect(await messages.rows()).toEqual([]);
  });

  it('keeps each message once in the lists of its two addresses', async () => {
    const rows = await applyAll([split.destination, split.source]);
    expect(rows.filter((row) => row.startsWith('listing'))).toHaveLength(2 * MESSAGES);
  });

  it('has the tokens of fees asked for, and leaves those that were', async () => {
    const { chain, feeToken } = recording;
    const repository = new EvmIndexRepository(messages.database, new CoverageRepository(messages.database));
    await messages.apply(chain, recording.logs);
    expect((await repository.findStaleTokens(chain, 10)).map(({ contract }) => contract)).toEqual([feeToken]);
    await dataSource.query(`UPDATE evm_tokens SET failure = NULL, symbol = 'FEE', asked_at = now()`);
    await messages.apply(chain, recording.logs);
    expect(await repository.findStaleTokens(chain, 10)).toEqual([]);
    expect(await dataSource.query('SELECT chain_key, symbol FROM evm_tokens')).toEqual([
      { chain_key: evmChainKey(chain).toString(), symbol: 'FEE' },
    ]);
  });

  describe('given what a messenger cannot know', () => {
    const [home, away, liar] = [1n, 2n, 3n].map((id) => messengerChain('fuji', id));
    if (home === undefined || away === undefined || liar === undefined) throw new Error('no chains');
    const address = recording.sender;
    const message = { source: home, destination: away, nonce: 1n, from: address, to: address };

    it('leaves out messages between other chains', async () => {
      await messages.apply(liar, [sentLog(message, { height: 1n }), receivedLog(message, { height: 2n })]);
      expect(await messages.rows()).toEqual([]);
      expect(
        readMessageFacts(liar, [sentLog(message, { height: 1n }), receivedLog(message, { height: 2n })])
          .leftOut,
      ).toEqual(
        new Map([
          ['WRONG_MESSAGE_ID', 1],
          ['WRONG_CHAIN', 1],
        ]),
      );
    });

    it('leaves out an id that is not that of the message', async () => {
      const log = sentLog(message, { height: 1n });
      const [topic, , ...rest] = log.topics;
      const forged = { ...log, topics: [topic ?? '0x', recording.blockchainId, ...rest] };
      expect(readMessageFacts(home, [forged]).leftOut).toEqual(new Map([['WRONG_MESSAGE_ID', 1]]));
      await messages.apply(home, [forged]);
      expect(await messages.rows()).toEqual([]);
    });

    it('leaves out a blockchain id that is not the configured one', () => {
      const [initialized] = recording.logsOf('initialize');
      if (initialized === undefined) throw new Error('no event');
      expect(readMessageFacts(home, [initialized]).leftOut).toEqual(new Map([['WRONG_CHAIN', 1]]));
    });
  });
});
