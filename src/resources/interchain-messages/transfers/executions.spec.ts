import { describe, expect, it } from '@jest/globals';
import type { Address, Hash } from '../../../avalanche/evm/rpc/hex-values.js';
import { MESSENGER_TOPICS } from '../../../avalanche/icm/messenger-event.js';
import { TRANSFERRER_TOPICS } from '../../../avalanche/icm/transferrer-event.js';
import { type ExecutionLog, readExecutions } from './executions.js';

const hash = (number: number): Hash => `0x${number.toString(16).padStart(64, '0')}`;
const address = (number: number): Address => `0x${number.toString(16).padStart(40, '0')}`;
const [MESSENGER, HOME, LIAR, RECIPIENT] = [1, 2, 3, 4].map(address);
if (MESSENGER === undefined || HOME === undefined || LIAR === undefined || RECIPIENT === undefined) {
  throw new Error('no addresses');
}
const [FIRST, SECOND, THIRD] = [1, 2, 3].map(hash);
if (FIRST === undefined || SECOND === undefined || THIRD === undefined) throw new Error('no ids');

const log = (contract: Address, topics: readonly Hash[], transaction = 7): ExecutionLog => ({
  txHash: hash(transaction),
  address: contract,
  topics,
});
const received = (id: Hash, transaction = 7) => log(MESSENGER, [MESSENGER_TOPICS.received, id], transaction);
const executed = (id: Hash, transaction = 7) => log(MESSENGER, [MESSENGER_TOPICS.executed, id], transaction);
const failed = (id: Hash) => log(MESSENGER, [MESSENGER_TOPICS.executionFailed, id]);
const routed = (id: Hash, transaction = 7) => log(HOME, [TRANSFERRER_TOPICS.tokensRouted, id], transaction);
const called = (topic: 'callSucceeded' | 'callFailed') =>
  log(HOME, [TRANSFERRER_TOPICS[topic], `0x${RECIPIENT.slice(2).padStart(64, '0')}`]);

const read = (...logs: readonly ExecutionLog[]) => readExecutions(MESSENGER, logs);
const did = (messageId: Hash, ...ids: readonly Hash[]) => ({
  messageId,
  routed: ids.map((id) => ({ transferrer: HOME, messageId: id })),
  calls: [],
});

describe(readExecutions.name, () => {
  it('gives a message what is logged between its delivery and its execution', () => {
    expect(read(received(FIRST), routed(SECOND), executed(FIRST))).toEqual([did(FIRST, SECOND)]);
  });

  it('keeps messages apart that are delivered in one transaction', () => {
    const logs = [received(FIRST), routed(THIRD), executed(FIRST), received(SECOND), executed(SECOND)];
    expect(read(...logs)).toEqual([did(FIRST, THIRD), did(SECOND)]);
  });

  it('gives a message that is executed later what is logged behind that, in its transaction', () => {
    expect(read(executed(FIRST), routed(SECOND), routed(THIRD, 8))).toEqual([did(FIRST, SECOND)]);
  });

  it('ends a later execution where another message is delivered', () => {
    expect(read(executed(FIRST), received(SECOND), routed(THIRD), executed(SECOND))).toEqual([
      did(FIRST),
      did(SECOND, THIRD),
    ]);
  });

  it('gives nothing to a message that failed, nor what is logged behind it to another one', () => {
    expect(read(received(FIRST), failed(FIRST), routed(SECOND))).toEqual([]);
    expect(read(received(FIRST), failed(FIRST), routed(THIRD), executed(SECOND))).toEqual([did(SECOND)]);
  });

  it('gives nothing that is logged before a delivery, or behind it in another transaction', () => {
    expect(read(routed(SECOND), received(FIRST), executed(FIRST), routed(THIRD))).toEqual([did(FIRST)]);
    expect(read(received(FIRST), routed(SECOND, 8), executed(FIRST, 8))).toEqual([did(FIRST)]);
  });

  it('reads how calls ended', () => {
    const call = { transferrer: HOME, recipientContract: RECIPIENT };
    expect(read(received(FIRST), called('callFailed'), called('callSucceeded'), executed(FIRST))).toEqual([
      {
        messageId: FIRST,
        routed: [],
        calls: [
          { ...call, isSuccess: false },
          { ...call, isSuccess: true },
        ],
      },
    ]);
  });

  it('believes nobody but the messenger that a message was delivered or executed', () => {
    const lies = [
      log(LIAR, [MESSENGER_TOPICS.received, FIRST]),
      log(LIAR, [MESSENGER_TOPICS.executed, FIRST]),
    ];
    expect(read(...lies)).toEqual([]);
    expect(read(received(SECOND), ...lies, routed(THIRD), executed(SECOND))).toEqual([did(SECOND, THIRD)]);
  });

  it('takes a log without an id for none', () => {
    expect(
      read(log(MESSENGER, [MESSENGER_TOPICS.received]), log(MESSENGER, [MESSENGER_TOPICS.executed])),
    ).toEqual([]);
  });
});
