import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { logBatch } from '../../src/indexes/evm/rows/log-rows.js';
import type { EvmWriter } from '../../src/indexes/evm/rows/evm-writer.js';
import { logSetsOf } from '../../src/indexes/evm/sources/logs/log-sets.js';
import type { WatchedLog } from '../../src/indexes/evm/projections/watched-log.js';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString } from '../../src/avalanche/ids/id.js';
import { evmChainName } from '../../src/platform/database/chains.js';
import type { EvmChain } from '../../src/platform/evm-chains/evm-chain.js';
import { Metrics } from '../../src/platform/metrics/metrics.js';
import { EarlySignatures } from '../../src/resources/interchain-messages/on-sight/early-signatures.js';
import type { SightedMessage } from '../../src/resources/interchain-messages/on-sight/sighted-message.js';
import { makeWriter, standAt, TEST_CHAIN } from '../support/evm/evm-index.js';
import {
  idOfMessage,
  type MadeMessage,
  type MessengerChain,
  messengerChain,
  receivedLog,
  sentLog,
} from '../support/evm/messenger-logs.js';
import { createMigratedDatabase } from '../support/harness/database.js';

const SOURCE: MessengerChain = {
  ...TEST_CHAIN,
  id: `0x${toHex(idFromString(TEST_CHAIN.blockchainId))}`,
};
const DESTINATIONS = Array.from({ length: 20 }, (_, index) => messengerChain('fuji', BigInt(index + 1)));
const FROM = '0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc';

/** Messages of one chain that wait and are worked on. */
const MOST = 36;
const AT_ONCE = 4;

Logger.overrideLogger(false);

describe(EarlySignatures.name, () => {
  let dataSource: DataSource;
  let writer: EvmWriter;
  let metrics: Metrics;
  let asked: SightedMessage[];
  let ends: ((error?: Error) => void)[];
  let height: number;

  beforeEach(async () => {
    dataSource = await createMigratedDatabase();
    await standAt(dataSource, TEST_CHAIN, 1_000_000);
    writer = makeWriter(dataSource);
    metrics = new Metrics();
    asked = [];
    ends = [];
    height = 0;
  });

  const listen = (settings: Partial<EvmChain> = { signOnSight: true }): void => {
    const chain = { ...TEST_CHAIN, ...settings };
    const sign = (message: SightedMessage): Promise<'signed'> => {
      asked.push(message);
      return new Promise((resolve, reject) =>
        ends.push((error) => (error === undefined ? resolve('signed') : reject(error))),
      );
    };
    new EarlySignatures({ all: () => [chain], of: () => chain }, { sign }, writer, metrics);
  };

  const messageTo = (destination: number, nonce: number): MadeMessage => {
    const to = DESTINATIONS[destination];
    if (to === undefined) throw new RangeError('no such destination');
    return { source: SOURCE, destination: to, nonce: BigInt(nonce), from: FROM, to: FROM };
  };

  const now = () => Math.floor(Date.now() / 1_000);

  const logOf = (message: MadeMessage, time = now()): WatchedLog =>
    sentLog(message, { height: BigInt(height), logIndex: Number(message.nonce), time });

  /** In a block of their own. */
  const write = async (logs: readonly WatchedLog[]): Promise<void> => {
    const [set] = logSetsOf(TEST_CHAIN);
    if (set === undefined) throw new Error('nothing is watched');
    const range = { from: BigInt(height), to: BigInt(height) };
    height += 1;
    await writer.write({ chain: TEST_CHAIN, facets: [logBatch(set, range, logs)] });
  };

  const outcomes = async (): Promise<Record<string, number>> => {
    const counted = /^nds_sighted_messages_total\{network="fuji",chain="(.*)",outcome="(.*)"\} (\d+)$/gm;
    const found = [...(await metrics.text()).matchAll(counted)];
    expect(found.every(([, chain]) => chain === evmChainName(TEST_CHAIN.chainId))).toBe(true);
    return Object.fromEntries(
      found.map(([, , outcome = '', count]): [string, number] => [outcome, Number(count)]),
    );
  };

  it('asks for the messages that were just indexed, and leaves deliveries and others alone', async () => {
    listen();
    const message = messageTo(0, 1);
    const received = { ...messageTo(1, 2), source: messageTo(1, 2).destination, destination: SOURCE };
    await write([logOf(message), receivedLog(received, { height: 0n, logIndex: 2, time: now() })]);
    expect(asked.map(({ id }) => id)).toEqual([idOfMessage(message)]);
    expect(fromHex(toHex(idFromString(asked[0]?.destinationBlockchainId ?? '')))).toEqual(
      fromHex(message.destination.id.slice(2)),
    );
    for (const end of ends) end();
    await nextTurn();
    expect(await outcomes()).toEqual({ signed: 1 });
  });

  it('asks for nothing on a chain that is not configured for it', async () => {
    listen({});
    await write([logOf(messageTo(0, 1))]);
    expect(asked).toEqual([]);
  });

  it('asks for nothing in blocks of more than five minutes ago, as when a history is filled in or read anew', async () => {
    listen();
    await write([logOf(messageTo(0, 1), now() - 301), logOf(messageTo(0, 2), now() - 200)]);
    expect(asked.map(({ id }) => id)).toEqual([idOfMessage(messageTo(0, 2))]);
  });

  it('asks for nothing of a batch that was rolled back', async () => {
    listen();
    const log = logOf(messageTo(0, 1));
    await dataSource.query('ALTER TABLE evm_logs ADD CONSTRAINT refused CHECK (log_index <> 1)');
    await expect(write([log])).rejects.toThrow('violates check constraint');
    expect(asked).toEqual([]);
    await dataSource.query('ALTER TABLE evm_logs DROP CONSTRAINT refused');
    await write([log]);
    expect(asked).toHaveLength(1);
  });

  it('asks once for a message that comes again while it is asked for', async () => {
    listen();
    await write([logOf(messageTo(0, 1))]);
    await write([logOf(messageTo(0, 1))]);
    expect(asked).toHaveLength(1);
  });

  it('goes on when a request fails, and counts why', async () => {
    listen();
    await write([1, 2, 3].map((nonce) => logOf(messageTo(0, nonce))));
    expect(asked).toHaveLength(2);
    ends[0]?.(new Error('a node that is away'));
    await nextTurn();
    expect(asked).toHaveLength(3);
    expect(await outcomes()).toEqual({ unexpected: 1 });
  });

  it('keeps a few dozen of the thousands that a contract sends in one block, and passes over the rest', async () => {
    listen();
    const flood = Array.from({ length: 5_000 }, (_, index) => logOf(messageTo(index % 20, index + 1)));
    await write(flood);
    expect(asked).toHaveLength(AT_ONCE);
    const { passed_over: passedOver = 0 } = await outcomes();
    expect(flood.length - passedOver).toBeLessThanOrEqual(MOST);
    expect(passedOver).toBeGreaterThan(flood.length - 100);
    // The index has gone on; what is kept is worked through.
    for (let done = 0; done < ends.length; done += 1) {
      ends[done]?.();
      await nextTurn();
    }
    expect(asked.length + passedOver).toBe(flood.length);
  });
});
