import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeAbiParameters, padHex, toEventSelector } from 'viem/utils';
import type { Address, Hash, Hex } from '../evm/rpc/hex-values.js';
import { addressFor, hashFor } from '../../../sandbox/generated/evm-block.js';
import {
  type InterchainMessage,
  MAX_EVENT_BYTES,
  MESSENGER_TOPICS,
  type MessengerEvent,
  readMessengerEvent,
} from './messenger-event.js';

const RECEIPT = [
  { name: 'receivedMessageNonce', type: 'uint256' },
  { name: 'relayerRewardAddress', type: 'address' },
] as const;
const BEHIND_SENDER = [
  { name: 'destinationBlockchainId', type: 'bytes32' },
  { name: 'to', type: 'address' },
  { name: 'requiredGasLimit', type: 'uint256' },
  { name: 'relayers', type: 'address[]' },
  { name: 'receipts', type: 'tuple[]', components: RECEIPT },
  { name: 'data', type: 'bytes' },
] as const;
const UP_TO_SENDER = [
  { name: 'nonce', type: 'uint256' },
  { name: 'from', type: 'address' },
] as const;
const MESSAGE = { type: 'tuple', components: [...UP_TO_SENDER, ...BEHIND_SENDER] } as const;
const MESSAGE_WITH_ORIGIN = {
  type: 'tuple',
  components: [...UP_TO_SENDER, { name: 'origin', type: 'address' }, ...BEHIND_SENDER],
} as const;
const FEE = {
  type: 'tuple',
  components: [
    { name: 'token', type: 'address' },
    { name: 'amount', type: 'uint256' },
  ],
} as const;

const R = '(uint256,address)[]';
const M = `(uint256,address,bytes32,address,uint256,address[],${R},bytes)`;
const M_WITH_ORIGIN = `(uint256,address,address,bytes32,address,uint256,address[],${R},bytes)`;
const F = '(address,uint256)';
const SIGNATURES: Record<keyof typeof MESSENGER_TOPICS, string> = {
  sent: `SendCrossChainMessage(bytes32,bytes32,${M},${F})`,
  sentWithOrigin: `SendCrossChainMessage(bytes32,bytes32,${M_WITH_ORIGIN},${F})`,
  received: `ReceiveCrossChainMessage(bytes32,bytes32,address,address,${M})`,
  executed: 'MessageExecuted(bytes32,bytes32)',
  executionFailed: `MessageExecutionFailed(bytes32,bytes32,${M})`,
  receiptReceived: `ReceiptReceived(bytes32,bytes32,address,${F})`,
  feeAdded: `AddFeeAmount(bytes32,${F})`,
  blockchainIdInitialized: 'BlockchainIDInitialized(bytes32)',
  rewardsRedeemed: 'RelayerRewardsRedeemed(address,address,uint256)',
};

interface MadeMessage extends InterchainMessage {
  readonly requiredGasLimit: bigint;
  readonly relayers: readonly Address[];
}

const bytesOf = (length: number): fc.Arbitrary<Hex> =>
  fc.uint8Array({ minLength: length, maxLength: length }).map(toHex);
const address = bytesOf(20);
const hash: fc.Arbitrary<Hash> = bytesOf(32);
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const message: fc.Arbitrary<MadeMessage> = fc.record({
  nonce: uint256,
  from: address,
  destinationBlockchainId: hash,
  to: address,
  requiredGasLimit: uint256,
  relayers: fc.array(address, { maxLength: 5 }),
  receipts: fc.array(fc.record({ receivedMessageNonce: uint256, relayerRewardAddress: address }), {
    maxLength: 5,
  }),
  data: fc.uint8Array({ maxLength: 100 }).map(toHex),
});
const fee = fc.record({ token: address, amount: uint256 });

function toHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}

function shown({ relayers: _relayers, requiredGasLimit: _gas, ...rest }: MadeMessage): InterchainMessage {
  return rest;
}

interface Log {
  readonly topics: readonly Hash[];
  readonly data: Hex;
}

/** A log of each kind as viem encodes it, and its meaning. */
const events: fc.Arbitrary<{ log: Log; event: MessengerEvent }> = fc
  .record({
    messageId: hash,
    other: hash,
    message,
    fee,
    one: address,
    two: address,
    amount: uint256,
    kind: fc.constantFrom(...Object.keys(MESSENGER_TOPICS).filter(isKind)),
  })
  .map(({ kind, messageId, other, message: made, fee: paid, one, two, amount }) => {
    const log = (indexed: readonly Hex[], data: Hex): Log => ({
      topics: [MESSENGER_TOPICS[kind], ...indexed.map((value) => padHex(value, { size: 32 }))],
      data,
    });
    switch (kind) {
      case 'sent':
        return {
          log: log(
            [messageId, made.destinationBlockchainId],
            encodeAbiParameters([MESSAGE, FEE], [made, paid]),
          ),
          event: { kind, messageId, message: shown(made), fee: paid },
        };
      case 'sentWithOrigin':
        return {
          log: log(
            [messageId, made.destinationBlockchainId],
            encodeAbiParameters([MESSAGE_WITH_ORIGIN, FEE], [{ ...made, origin: one }, paid]),
          ),
          event: { kind: 'sent', messageId, message: shown(made), fee: paid },
        };
      case 'received':
        return {
          log: log([messageId, other, one], encodeAbiParameters([{ type: 'address' }, MESSAGE], [two, made])),
          event: {
            kind,
            messageId,
            sourceBlockchainId: other,
            deliverer: one,
            rewardRedeemer: two,
            message: shown(made),
          },
        };
      case 'executed':
        return { log: log([messageId, other], '0x'), event: { kind, messageId, sourceBlockchainId: other } };
      case 'executionFailed':
        return {
          log: log([messageId, other], encodeAbiParameters([MESSAGE], [made])),
          event: { kind, messageId, sourceBlockchainId: other, message: shown(made) },
        };
      case 'receiptReceived':
        return {
          log: log([messageId, other, one], encodeAbiParameters([FEE], [paid])),
          event: { kind, messageId, destinationBlockchainId: other, relayerRewardAddress: one, fee: paid },
        };
      case 'feeAdded':
        return {
          log: log([messageId], encodeAbiParameters([FEE], [paid])),
          event: { kind, messageId, fee: paid },
        };
      case 'blockchainIdInitialized':
        return { log: log([other], '0x'), event: { kind, blockchainId: other } };
      case 'rewardsRedeemed':
        return {
          log: log([one, two], encodeAbiParameters([{ type: 'uint256' }], [amount])),
          event: { kind, redeemer: one, token: two, amount },
        };
    }
  });

function isKind(name: string): name is keyof typeof MESSENGER_TOPICS {
  return name in MESSENGER_TOPICS;
}

const MADE: MadeMessage = {
  nonce: 7n,
  from: addressFor(1),
  destinationBlockchainId: hashFor(2),
  to: addressFor(3),
  requiredGasLimit: 0n,
  relayers: [],
  receipts: [],
  data: '0xabcd',
};
const SENT: Log = {
  topics: [MESSENGER_TOPICS.sent, hashFor(1), hashFor(2)],
  data: encodeAbiParameters([MESSAGE, FEE], [MADE, { token: addressFor(4), amount: 5n }]),
};

/** The log with another word at that place, counted from the start of the data. */
function withWord({ topics, data }: Log, index: number, value: bigint): Log {
  const from = 2 + 64 * index;
  const word = value.toString(16).padStart(64, '0');
  return { topics, data: `0x${data.slice(2, from)}${word}${data.slice(from + 64)}` };
}

const reasonOf = (log: Log): string => {
  const read = readMessengerEvent(log);
  return read.kind === 'notUnderstood' ? read.reason : read.kind;
};

describe(readMessengerEvent.name, () => {
  it.each(Object.entries(SIGNATURES))('knows %s by the topic of its signature', (kind, signature) => {
    expect(Object.entries(MESSENGER_TOPICS)).toContainEqual([kind, toEventSelector(signature)]);
  });

  it('reads events of every kind as viem encodes them', () => {
    fc.assert(
      fc.property(events, ({ log, event }) => {
        expect(readMessengerEvent(log)).toEqual(event);
      }),
      { numRuns: 500 },
    );
  });

  it('never throws, whatever was done to an event', () => {
    const word = fc.oneof(uint256, fc.bigInt({ min: 0n, max: 2n ** 16n }));
    fc.assert(
      fc.property(events, fc.nat(), word, fc.nat(600), ({ log }, at, value, cut) => {
        const words = Math.floor((log.data.length - 2) / 64);
        const changed = words === 0 ? log : withWord(log, at % words, value);
        for (const { topics, data } of [changed, { ...log, topics: log.topics.slice(0, -1) }]) {
          reasonOf({ topics, data });
          reasonOf({ topics, data: toHex(Buffer.from(data.slice(2), 'hex').subarray(0, cut)) });
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('never throws, whatever stands behind a topic it knows', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.values(MESSENGER_TOPICS)),
        fc.array(hash, { maxLength: 3 }),
        fc.uint8Array({ maxLength: 1000 }).map(toHex),
        (topic, others, data) => {
          reasonOf({ topics: [topic, ...others], data });
        },
      ),
      { numRuns: 1000 },
    );
  });

  const MESSAGE_AT = 3; // behind its offset and the fee
  const huge = 2n ** 255n;
  it.each<[string, Log, string]>([
    ['one topic too few', { ...SENT, topics: SENT.topics.slice(0, 2) }, 'TOPIC_COUNT'],
    ['one topic too many', { ...SENT, topics: [...SENT.topics, hashFor(9)] }, 'TOPIC_COUNT'],
    ['no topic at all', { topics: [], data: '0x' }, 'UNKNOWN_TOPIC'],
    ['a topic of something else', { ...SENT, topics: [hashFor(1)] }, 'UNKNOWN_TOPIC'],
    ['no data', { ...SENT, data: '0x' }, 'OUT_OF_BOUNDS'],
    ['half a word', { ...SENT, data: `0x${'00'.repeat(16)}` }, 'OUT_OF_BOUNDS'],
    ['a message far behind the end', withWord(SENT, 0, huge), 'OUT_OF_BOUNDS'],
    ['relayers behind the end', withWord(SENT, MESSAGE_AT + 5, huge), 'sent'],
    ['receipts behind the end', withWord(SENT, MESSAGE_AT + 6, huge), 'OUT_OF_BOUNDS'],
    ['endless receipts', withWord(SENT, MESSAGE_AT + 9, 2n ** 53n), 'OUT_OF_BOUNDS'],
    ['one receipt more than there is room for', withWord(SENT, MESSAGE_AT + 9, 2n), 'OUT_OF_BOUNDS'],
    ['endless bytes', withWord(SENT, MESSAGE_AT + 10, huge), 'OUT_OF_BOUNDS'],
    ['one byte more than there is', withWord(SENT, MESSAGE_AT + 10, 33n), 'OUT_OF_BOUNDS'],
    ['a sender of 21 bytes', withWord(SENT, MESSAGE_AT + 1, 1n << 160n), 'ADDRESS_PADDING'],
    [
      'another destination in the message than in the topic',
      withWord(SENT, MESSAGE_AT + 2, 9n),
      'WRONG_DESTINATION',
    ],
    ['too long data', { ...SENT, data: `0x${'00'.repeat(MAX_EVENT_BYTES + 1)}` }, 'TOO_LONG'],
  ])('tells what it makes of %s: %#', (_what, log, reason) => {
    expect(reasonOf(log)).toBe(reason);
  });
});
