import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeAbiParameters, parseAbiParameters, toEventSelector } from 'viem/utils';
import { type Address, type Hash, type Hex, ZERO_ADDRESS } from '../evm/rpc/hex-values.js';
import { addressFor, hashFor } from '../../../sandbox/generated/evm-block.js';
import { MAX_EVENT_BYTES } from './messenger-event.js';
import { packTransfer, partiesOf, type TransferPayload, unpackTransfer } from './transfer-payload.js';
import { readTransferrerEvent, TRANSFERRER_TOPICS } from './transferrer-event.js';

const hexOf = (length: number): fc.Arbitrary<Hex> =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((array): Hex => `0x${Buffer.from(array).toString('hex')}`);
const anyAddress: fc.Arbitrary<Address> = hexOf(20);
const anyHash: fc.Arbitrary<Hash> = hexOf(32);
const anyUint = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const anyBytes = fc.integer({ min: 0, max: 100 }).chain(hexOf);
const anyUint8 = fc.integer({ min: 0, max: 255 });

const anyCall = fc.record({
  originSender: anyAddress,
  recipientContract: anyAddress,
  payload: anyBytes,
  gasLimit: anyUint,
  fallbackRecipient: anyAddress,
});
const anySecondHop = fc.record({
  destinationBlockchainId: anyHash,
  destinationTransferrer: anyAddress,
  fee: anyUint,
  gasLimit: anyUint,
  fallbackRecipient: anyAddress,
});
const anyTransfer: fc.Arbitrary<TransferPayload> = fc.oneof(
  fc.record({
    kind: fc.constant('registerRemote' as const),
    initialReserveImbalance: anyUint,
    homeDecimals: anyUint8,
    remoteDecimals: anyUint8,
  }),
  fc.record({ kind: fc.constant('send' as const), recipient: anyAddress, amount: anyUint }),
  fc.record({
    kind: fc.constant('sendAndCall' as const),
    amount: anyUint,
    originBlockchainId: anyHash,
    originTransferrer: anyAddress,
    call: anyCall,
  }),
  fc.record({
    kind: fc.constant('multiHopSend' as const),
    recipient: anyAddress,
    amount: anyUint,
    secondHop: anySecondHop,
  }),
  fc.record({
    kind: fc.constant('multiHopSendAndCall' as const),
    amount: anyUint,
    call: anyCall,
    secondHop: anySecondHop,
  }),
);

const [MESSAGE, REGISTER, SEND, CALL, MULTI_HOP_SEND, MULTI_HOP_CALL] = [
  parseAbiParameters('(uint8 messageType, bytes payload) message'),
  parseAbiParameters('(uint256 initialReserveImbalance, uint8 homeDecimals, uint8 remoteDecimals) message'),
  parseAbiParameters('(address recipient, uint256 amount) message'),
  parseAbiParameters(
    '(bytes32 chain, address transferrer, address sender, address recipient, uint256 amount, bytes payload, uint256 gas, address fallbackTo) message',
  ),
  parseAbiParameters(
    '(bytes32 chain, address transferrer, address recipient, uint256 amount, uint256 fee, uint256 gas, address fallbackTo) message',
  ),
  parseAbiParameters(
    '(address sender, bytes32 chain, address transferrer, address recipient, uint256 amount, bytes payload, uint256 gas, address fallbackTo, uint256 secondGas, address multiHopFallback, uint256 fee) message',
  ),
];

const TYPES = { registerRemote: 0, send: 1, sendAndCall: 2, multiHopSend: 3, multiHopSendAndCall: 4 };

/** As viem, which knows nothing of ours, encodes the structures of the contracts. */
function encode(transfer: TransferPayload): Hex {
  return encodeAbiParameters(MESSAGE, [
    { messageType: TYPES[transfer.kind], payload: encodeFields(transfer) },
  ]);
}

function encodeFields(transfer: TransferPayload): Hex {
  switch (transfer.kind) {
    case 'registerRemote':
      return encodeAbiParameters(REGISTER, [transfer]);
    case 'send':
      return encodeAbiParameters(SEND, [transfer]);
    case 'sendAndCall': {
      const { originBlockchainId: chain, originTransferrer: transferrer, amount, call } = transfer;
      return encodeAbiParameters(CALL, [
        {
          chain,
          transferrer,
          sender: call.originSender,
          recipient: call.recipientContract,
          amount,
          payload: call.payload,
          gas: call.gasLimit,
          fallbackTo: call.fallbackRecipient,
        },
      ]);
    }
    case 'multiHopSend': {
      const { recipient, amount, secondHop } = transfer;
      return encodeAbiParameters(MULTI_HOP_SEND, [
        {
          chain: secondHop.destinationBlockchainId,
          transferrer: secondHop.destinationTransferrer,
          recipient,
          amount,
          fee: secondHop.fee,
          gas: secondHop.gasLimit,
          fallbackTo: secondHop.fallbackRecipient,
        },
      ]);
    }
    case 'multiHopSendAndCall': {
      const { amount, call, secondHop } = transfer;
      return encodeAbiParameters(MULTI_HOP_CALL, [
        {
          sender: call.originSender,
          chain: secondHop.destinationBlockchainId,
          transferrer: secondHop.destinationTransferrer,
          recipient: call.recipientContract,
          amount,
          payload: call.payload,
          gas: call.gasLimit,
          fallbackTo: call.fallbackRecipient,
          secondGas: secondHop.gasLimit,
          multiHopFallback: secondHop.fallbackRecipient,
          fee: secondHop.fee,
        },
      ]);
    }
  }
}

describe(unpackTransfer.name, () => {
  it('reads what Solidity encodes, and is written back as the same bytes', () => {
    fc.assert(
      fc.property(anyTransfer, (transfer) => {
        const data = encode(transfer);
        expect(packTransfer(transfer)).toBe(data);
        expect(unpackTransfer(data)).toEqual(transfer);
      }),
    );
  });

  it('takes no other bytes for a transfer than those that encode it', () => {
    fc.assert(
      fc.property(anyTransfer, fc.nat(), fc.integer({ min: 1, max: 255 }), (transfer, place, change) => {
        const bytes = Buffer.from(encode(transfer).slice(2), 'hex');
        const at = place % bytes.length;
        bytes[at] = (bytes[at] ?? 0) ^ change;
        const changed: Hex = `0x${bytes.toString('hex')}`;
        const read = unpackTransfer(changed);
        if (read !== undefined) expect(encode(read)).toBe(changed);
      }),
    );
  });

  it('knows no transfer that is cut short, or followed by anything', () => {
    fc.assert(
      fc.property(anyTransfer, fc.nat(), anyBytes, (transfer, place, behind) => {
        const data = encode(transfer);
        const cut: Hex = `0x${data.slice(2, 2 + 2 * (place % ((data.length - 2) / 2)))}`;
        expect(unpackTransfer(cut)).toBeUndefined();
        if (behind !== '0x') expect(unpackTransfer(`0x${data.slice(2)}${behind.slice(2)}`)).toBeUndefined();
      }),
    );
  });

  it('knows none in random bytes, and fails on none', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 700 }), (bytes) => {
        expect(unpackTransfer(`0x${Buffer.from(bytes).toString('hex')}`)).toBeUndefined();
      }),
    );
  });

  const word = (value: bigint): string => value.toString(16).padStart(64, '0');
  const join = (...words: string[]): Hex => `0x${words.join('')}`;
  const END = 2n ** 256n - 1n;
  const recipient = addressFor(1);
  const sending = encode({ kind: 'send', recipient, amount: 5n });
  it.each<[string, Hex]>([
    ['nothing', '0x'],
    ['text', '0x68656c6c6f'],
    ['an offset that leads out', join(word(END))],
    ['an offset to itself', join(word(0n), word(1n), word(0x40n))],
    ['a type that nobody knows', encodeAbiParameters(MESSAGE, [{ messageType: 5, payload: '0x' }])],
    ['a type of more than a byte', join(word(0x20n), word(2n ** 255n), word(0x40n), word(0n))],
    ['a huge length', join(word(0x20n), word(1n), word(0x40n), word(END))],
    [
      'a payload of another type',
      encodeAbiParameters(MESSAGE, [{ messageType: 2, payload: `0x${'00'.repeat(64)}` }]),
    ],
    [
      'decimals of more than a byte',
      encodeAbiParameters(MESSAGE, [{ messageType: 0, payload: join(word(0n), word(256n), word(18n)) }]),
    ],
    [
      'an address of more than 20 bytes',
      encodeAbiParameters(MESSAGE, [{ messageType: 1, payload: join(word(END), word(5n)) }]),
    ],
    ['a structure without its offset', `0x${sending.slice(66)}`],
    [
      'more than any message holds',
      encode({
        kind: 'sendAndCall',
        amount: 1n,
        originBlockchainId: hashFor(1),
        originTransferrer: recipient,
        call: {
          originSender: recipient,
          recipientContract: recipient,
          payload: `0x${'11'.repeat(MAX_EVENT_BYTES)}`,
          gasLimit: 1n,
          fallbackRecipient: recipient,
        },
      }),
    ],
  ])('knows no transfer in %s', (_what, data) => {
    expect(unpackTransfer(data)).toBeUndefined();
  });
});

describe(partiesOf.name, () => {
  const call = {
    originSender: addressFor(1),
    recipientContract: addressFor(2),
    payload: '0x',
    gasLimit: 1n,
    fallbackRecipient: addressFor(1),
  } as const;
  const secondHop = {
    destinationBlockchainId: hashFor(9),
    destinationTransferrer: addressFor(8),
    fee: 0n,
    gasLimit: 1n,
    fallbackRecipient: addressFor(4),
  };

  it('names everybody but the transferrers once, and nobody who is no address', () => {
    const origin = { originBlockchainId: hashFor(9), originTransferrer: addressFor(8) };
    const cases: readonly [TransferPayload, readonly Address[]][] = [
      [{ kind: 'registerRemote', initialReserveImbalance: 0n, homeDecimals: 6, remoteDecimals: 18 }, []],
      [{ kind: 'send', recipient: addressFor(3), amount: 1n }, [addressFor(3)]],
      [{ kind: 'send', recipient: ZERO_ADDRESS, amount: 1n }, []],
      [{ kind: 'sendAndCall', amount: 1n, ...origin, call }, [addressFor(1), addressFor(2)]],
      [
        { kind: 'multiHopSend', recipient: addressFor(3), amount: 1n, secondHop },
        [addressFor(3), addressFor(4)],
      ],
      [
        { kind: 'multiHopSendAndCall', amount: 1n, call, secondHop },
        [addressFor(1), addressFor(2), addressFor(4)],
      ],
    ];
    for (const [transfer, parties] of cases) expect(partiesOf(transfer)).toEqual(parties);
  });
});

describe(readTransferrerEvent.name, () => {
  const SENDING = '(bytes32,address,address,address,uint256,uint256,uint256,address)';
  const CALLING = '(bytes32,address,address,bytes,uint256,uint256,address,address,address,uint256,uint256)';
  const SIGNATURES: Record<keyof typeof TRANSFERRER_TOPICS, string> = {
    tokensSent: `TokensSent(bytes32,address,${SENDING},uint256)`,
    tokensAndCallSent: `TokensAndCallSent(bytes32,address,${CALLING},uint256)`,
    tokensRouted: `TokensRouted(bytes32,${SENDING},uint256)`,
    tokensAndCallRouted: `TokensAndCallRouted(bytes32,${CALLING},uint256)`,
    callSucceeded: 'CallSucceeded(address,uint256)',
    callFailed: 'CallFailed(address,uint256)',
  };
  const [id, person] = [hashFor(7), addressFor(3)];
  const topicOf = (address: Address): Hash => `0x${address.slice(2).padStart(64, '0')}`;

  it('knows each event by the hash of its signature', () => {
    for (const [name, topic] of Object.entries(TRANSFERRER_TOPICS)) {
      expect([name, topic]).toEqual([
        name,
        toEventSelector(Object.entries(SIGNATURES).find(([each]) => each === name)?.[1] ?? ''),
      ]);
    }
  });

  it('reads message, sender, and how a call ended from the topics', () => {
    const { tokensSent, tokensAndCallSent, tokensRouted, tokensAndCallRouted } = TRANSFERRER_TOPICS;
    for (const topic of [tokensSent, tokensAndCallSent]) {
      const event = readTransferrerEvent({ topics: [topic, id, topicOf(person)] });
      expect(event).toEqual({ kind: 'sent', messageId: id, sender: person });
    }
    for (const topic of [tokensRouted, tokensAndCallRouted]) {
      expect(readTransferrerEvent({ topics: [topic, id] })).toEqual({ kind: 'routed', messageId: id });
    }
    for (const [topic, isSuccess] of [
      [TRANSFERRER_TOPICS.callSucceeded, true],
      [TRANSFERRER_TOPICS.callFailed, false],
    ] as const) {
      const event = readTransferrerEvent({ topics: [topic, topicOf(person)] });
      expect(event).toEqual({ kind: 'called', recipientContract: person, isSuccess });
    }
  });

  it.each<[string, readonly Hash[]]>([
    ['no topic', []],
    ['another topic', [hashFor(1), id]],
    ['a topic too few', [TRANSFERRER_TOPICS.tokensSent, id]],
    ['a topic too many', [TRANSFERRER_TOPICS.tokensRouted, id, id]],
    ['a sender of 32 bytes', [TRANSFERRER_TOPICS.tokensSent, id, `0x${'ff'.repeat(32)}`]],
    ['a contract of 32 bytes', [TRANSFERRER_TOPICS.callFailed, `0x${'ff'.repeat(32)}`]],
  ])('knows no event in %s', (_what, topics) => {
    expect(readTransferrerEvent({ topics })).toBeUndefined();
  });
});
