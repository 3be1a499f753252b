import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codeOf, field, itIsACodec } from '../../../../test/support/codec-properties.js';
import { loadVectors } from '../../../../test/support/vectors.js';
import { fromHex, toHex } from '../../ids/hex.js';
import { idToString } from '../../ids/id.js';
import { packL1ValidatorRegistration } from './l1-validator-registration.js';
import { packL1ValidatorWeight, unpackL1ValidatorWeight } from './l1-validator-weight.js';
import type { PChainOwner } from './p-chain-owner.js';
import { unpackL1Message, type L1Message } from '../../../../sandbox/peer/l1-message.js';
import {
  packRegisterL1Validator,
  unpackRegisterL1Validator,
  validationIdOfRegistration,
} from './register-l1-validator.js';
import {
  packSubnetToL1Conversion,
  packSubnetToL1ConversionData,
  subnetToL1ConversionId,
  validationIdOfConversion,
} from './subnet-to-l1-conversion.js';

interface OwnerVector {
  threshold: number;
  addresses: string[];
}
interface PayloadVector<Fields> {
  kind: string;
  note: string;
  bytes: string;
  len: number;
  fields: Fields;
}
interface RegisterFields {
  subnetID: string;
  nodeID: string;
  blsPublicKey: string;
  expiry: string;
  remainingBalanceOwner: OwnerVector;
  disableOwner: OwnerVector;
  weight: string;
  validationID: string;
}

const payloadVectors = loadVectors<{
  invalid: { note: string; bytes: string; l1MessageError: string }[];
  payloads: PayloadVector<unknown>[];
}>('payloads');
const { conversions } = loadVectors<{
  conversions: {
    bytes: string;
    conversionID: string;
    conversionIDCb58: string;
    managerAddress: string;
    managerChainID: string;
    subnetID: string;
    validators: { nodeID: string; blsPublicKey: string; weight: number; validationID: string }[];
  }[];
}>('l1_messages');
const { conversionValidationIDs } = loadVectors<{
  conversionValidationIDs: {
    index: number;
    subnetID: string;
    validationID: string;
    validationIDCb58: string;
  }[];
}>('ids');

function ofKind<Fields>(kind: string): PayloadVector<Fields>[] {
  return payloadVectors.payloads.filter((vector) => vector.kind === kind) as PayloadVector<Fields>[];
}

const toOwner = ({ threshold, addresses }: OwnerVector): PChainOwner => ({
  threshold,
  addresses: addresses.map(fromHex),
});
const owners = fc.record({ threshold: field.uint32, addresses: fc.array(field.nodeId, { maxLength: 5 }) });

/** Any kind may come back from bytes that were changed. */
function packL1Message(message: L1Message): Uint8Array {
  switch (message.kind) {
    case 'subnetToL1Conversion':
      return packSubnetToL1Conversion(message);
    case 'registerL1Validator':
      return packRegisterL1Validator(message);
    case 'l1ValidatorRegistration':
      return packL1ValidatorRegistration(message);
    case 'l1ValidatorWeight':
      return packL1ValidatorWeight(message);
  }
}

describe('SubnetToL1Conversion', () => {
  it.each(ofKind<{ id: string }>('SubnetToL1Conversion'))(
    'is built as avalanchego does: $note',
    ({ bytes, fields }) => {
      const message = { id: fromHex(fields.id) };
      expect(toHex(packSubnetToL1Conversion(message))).toBe(bytes);
      expect(unpackL1Message(fromHex(bytes))).toEqual({ kind: 'subnetToL1Conversion', ...message });
    },
  );

  it.each(conversions)('has an id that commits to its data: $conversionIDCb58', (vector) => {
    const data = {
      subnetId: fromHex(vector.subnetID),
      managerChainId: fromHex(vector.managerChainID),
      managerAddress: fromHex(vector.managerAddress),
      validators: vector.validators.map(({ nodeID, blsPublicKey, weight }) => ({
        nodeId: fromHex(nodeID),
        blsPublicKey: fromHex(blsPublicKey),
        weight: BigInt(weight),
      })),
    };
    expect(toHex(packSubnetToL1ConversionData(data))).toBe(vector.bytes);
    expect(toHex(subnetToL1ConversionId(data))).toBe(vector.conversionID);
    expect(idToString(subnetToL1ConversionId(data))).toBe(vector.conversionIDCb58);
    const ids = data.validators.map((_, index) => toHex(validationIdOfConversion(data.subnetId, index)));
    expect(ids).toEqual(vector.validators.map(({ validationID }) => validationID));
  });

  it.each(conversionValidationIDs)('gives validator $index its validation id', (vector) => {
    const validationId = validationIdOfConversion(fromHex(vector.subnetID), vector.index);
    expect(toHex(validationId)).toBe(vector.validationID);
    expect(idToString(validationId)).toBe(vector.validationIDCb58);
  });

  it('refuses an index that is no uint32', () => {
    expect(codeOf(() => validationIdOfConversion(new Uint8Array(32), 2 ** 32))).toBe('INVALID_VALUE');
    expect(codeOf(() => validationIdOfConversion(new Uint8Array(31), 0))).toBe('INVALID_VALUE');
  });

  itIsACodec({
    values: fc.record({ kind: fc.constant('subnetToL1Conversion' as const), id: field.id }),
    pack: packL1Message,
    unpack: unpackL1Message,
  });
});

describe('RegisterL1Validator', () => {
  it.each(ofKind<RegisterFields>('RegisterL1Validator'))(
    'is built as avalanchego does: $note',
    ({ bytes, fields }) => {
      const message = {
        subnetId: fromHex(fields.subnetID),
        nodeId: fromHex(fields.nodeID),
        blsPublicKey: fromHex(fields.blsPublicKey),
        expiry: BigInt(fields.expiry),
        remainingBalanceOwner: toOwner(fields.remainingBalanceOwner),
        disableOwner: toOwner(fields.disableOwner),
        weight: BigInt(fields.weight),
      };
      expect(toHex(packRegisterL1Validator(message))).toBe(bytes);
      expect(unpackRegisterL1Validator(fromHex(bytes))).toEqual(message);
      expect(unpackL1Message(fromHex(bytes))).toEqual({ kind: 'registerL1Validator', ...message });
      expect(toHex(validationIdOfRegistration(fromHex(bytes)))).toBe(fields.validationID);
    },
  );

  itIsACodec({
    values: fc.record({
      subnetId: field.id,
      nodeId: fc.oneof(field.nodeId, field.blob(30)),
      blsPublicKey: field.bytes(48),
      expiry: field.uint64,
      remainingBalanceOwner: owners,
      disableOwner: owners,
      weight: field.uint64,
    }),
    pack: packRegisterL1Validator,
    unpack: unpackRegisterL1Validator,
  });
});

describe('L1ValidatorRegistration', () => {
  const ours = ofKind<{ validationID: string; registered: boolean }>('L1ValidatorRegistration');
  it.each(ours)('is built as avalanchego does: $note', ({ bytes, fields }) => {
    const message = { validationId: fromHex(fields.validationID), registered: fields.registered };
    expect(toHex(packL1ValidatorRegistration(message))).toBe(bytes);
    expect(unpackL1Message(fromHex(bytes))).toEqual({ kind: 'l1ValidatorRegistration', ...message });
  });

  itIsACodec({
    values: fc.record({
      kind: fc.constant('l1ValidatorRegistration' as const),
      validationId: field.id,
      registered: fc.boolean(),
    }),
    pack: packL1Message,
    unpack: unpackL1Message,
  });
});

describe('L1ValidatorWeight', () => {
  const ours = ofKind<{ validationID: string; nonce: string; weight: string }>('L1ValidatorWeight');
  it.each(ours)('is built as avalanchego does: $note', ({ bytes, fields }) => {
    const message = {
      validationId: fromHex(fields.validationID),
      nonce: BigInt(fields.nonce),
      weight: BigInt(fields.weight),
    };
    expect(toHex(packL1ValidatorWeight(message))).toBe(bytes);
    expect(unpackL1ValidatorWeight(fromHex(bytes))).toEqual(message);
    expect(unpackL1Message(fromHex(bytes))).toEqual({ kind: 'l1ValidatorWeight', ...message });
  });

  itIsACodec({
    values: fc.record({ validationId: field.id, nonce: field.uint64, weight: field.uint64 }),
    pack: packL1ValidatorWeight,
    unpack: unpackL1ValidatorWeight,
  });
});

describe(unpackL1Message.name, () => {
  it.each(payloadVectors.invalid)('refuses: $note ($l1MessageError)', ({ bytes }) => {
    expect(codeOf(() => unpackL1Message(fromHex(bytes)))).not.toBe('accepted');
  });

  it('has vectors of every kind', () => {
    const kinds = new Set(payloadVectors.payloads.map(({ kind }) => kind));
    expect(kinds.size).toBe(7);
  });
});
