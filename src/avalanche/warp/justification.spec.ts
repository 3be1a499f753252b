import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codeOf, field } from '../../../test/support/codec-properties.js';
import { loadVectors } from '../../../test/support/vectors.js';
import { fromHex, toHex } from '../ids/hex.js';
import {
  packJustification,
  unpackJustification,
  validationIdOfJustification,
  type L1ValidatorRegistrationJustification,
} from './justification.js';
import { unpackL1Message } from '../../../sandbox/peer/l1-message.js';
import { makePChainMessage } from './p-chain-message.js';
import { packUnsignedMessage, unsignedMessageId } from './unsigned-message.js';

const { messages } = loadVectors<{
  messages: {
    kind: string;
    note: string;
    networkID: number;
    innerPayload: string;
    justification: string;
    messageID: string;
    unsignedMessage: string;
  }[];
}>('l1_messages');
const removals = messages.filter(
  ({ kind, justification }) => kind === 'L1ValidatorRegistration' && justification,
);

const subnetId = '0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20';
const justifications: fc.Arbitrary<L1ValidatorRegistrationJustification> = fc.oneof(
  fc.record({ kind: fc.constant('convertSubnetToL1Tx' as const), subnetId: field.id, index: field.uint32 }),
  fc.record({ kind: fc.constant('registerL1ValidatorMessage' as const), message: field.blob(200) }),
);

describe('P-chain messages with their justification', () => {
  it.each(messages)(
    'are made as avalanchego does: $kind: $note',
    ({ networkID, innerPayload, unsignedMessage, messageID }) => {
      const l1Message = fromHex(innerPayload);
      const bytes = packUnsignedMessage(makePChainMessage({ networkId: networkID, l1Message }));
      expect(toHex(bytes)).toBe(unsignedMessage);
      expect(toHex(unsignedMessageId(bytes))).toBe(messageID);
      expect(codeOf(() => unpackL1Message(l1Message))).toBe('accepted');
    },
  );
});

describe('the justification of a registration', () => {
  it('is in the vectors in both kinds', () => {
    const kinds = removals.map(({ justification }) => unpackJustification(fromHex(justification)).kind);
    expect(new Set(kinds).size).toBe(2);
  });

  it.each(removals)('is read and written as by avalanchego: $note', ({ innerPayload, justification }) => {
    const unpacked = unpackJustification(fromHex(justification));
    expect(toHex(packJustification(unpacked))).toBe(justification);
    const validationId = validationIdOfJustification(unpacked);
    expect(unpackL1Message(fromHex(innerPayload))).toMatchObject({
      kind: 'l1ValidatorRegistration',
      validationId,
    });
  });

  it('survives a round trip', () => {
    fc.assert(
      fc.property(justifications, (value) =>
        expect(unpackJustification(packJustification(value))).toEqual(value),
      ),
    );
  });

  it('raises nothing but CodecError on mutated and random bytes', () => {
    const mutation = fc.tuple(fc.nat(), fc.nat({ max: 255 }));
    fc.assert(
      fc.property(justifications, fc.array(mutation, { maxLength: 4 }), fc.nat(), (value, mutations, cut) => {
        const bytes = packJustification(value);
        for (const [place, byte] of mutations) bytes[place % bytes.length] = byte;
        const end = bytes.length - (cut % bytes.length);
        codeOf(() => validationIdOfJustification(unpackJustification(bytes.slice(0, end))));
      }),
    );
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 100 }),
        (bytes) => void codeOf(() => unpackJustification(bytes)),
      ),
    );
  });

  it.each([
    ['no bytes', ''],
    ['no branch, only an unknown field', '1801'],
    ['a conversion without a subnet', '0a021001'],
    ['a subnet id of 31 bytes', `0a210a1f${subnetId.slice(2)}`],
    ['the raw subnet id of a SubnetToL1Conversion', subnetId],
    ['a length beyond the end', '12ff01'],
    ['a length of 4 GiB', '12ffffffff0f'],
    ['a varint that never ends', `0a220a20${subnetId}18${'ff'.repeat(20)}`],
    ['nested groups', '1b'.repeat(500)],
  ])('is refused for %s', (_, hex) => {
    expect(codeOf(() => unpackJustification(fromHex(hex)))).toBe('INVALID_VALUE');
  });

  it.each([
    ['skips unknown fields', `1801${'2203aabbcc'}0a220a20${subnetId}`, 0],
    ['skips a known field of another type', `0801${'1005'}0a220a20${subnetId}`, 0],
    ['takes the last branch', `1203aabbcc0a240a20${subnetId}1007`, 7],
    ['merges a repeated branch', `0a021007${'0a22'}0a20${subnetId}`, 7],
    ['does not merge across another branch', `0a021007${'1200'}0a220a20${subnetId}`, 0],
    ['cuts the index to 32 bits', `0a290a20${subnetId}108780808010`, 7],
  ])('follows protobuf, which %s', (_, hex, index) => {
    const fixed = hex.replace(/0a290a20/, '0a280a20');
    expect(unpackJustification(fromHex(fixed))).toEqual({
      kind: 'convertSubnetToL1Tx',
      subnetId: fromHex(subnetId),
      index,
    });
  });

  it('proves nothing when its message does not register a validator', () => {
    const justification = { kind: 'registerL1ValidatorMessage' as const, message: fromHex('000000000002') };
    expect(codeOf(() => validationIdOfJustification(justification))).toBe('UNKNOWN_TYPE_ID');
  });
});
