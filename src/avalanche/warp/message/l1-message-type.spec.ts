import { describe, expect, it } from '@jest/globals';
import { packTypedBlob } from '../../codec/codec.js';
import { describeUnknownType } from './l1-message-type.js';
import { packL1ValidatorRegistration } from './l1-validator-registration.js';
import { packL1ValidatorWeight } from './l1-validator-weight.js';
import { packSubnetToL1Conversion } from './subnet-to-l1-conversion.js';

const validationId = new Uint8Array(32).fill(1);

const ofType = (typeId: number): Uint8Array =>
  packTypedBlob(typeId, (packer) => packer.packFixedBytes(validationId));

describe(describeUnknownType.name, () => {
  it.each([
    { typeId: 4, text: 'type 4 (perhaps ValidatorSetMetadata)' },
    { typeId: 5, text: 'type 5 (perhaps ValidatorSetDiff)' },
    { typeId: 6, text: 'type 6 (perhaps ValidatorSetMerkleCommitment)' },
    { typeId: 7, text: 'type 7' },
    { typeId: 2 ** 32 - 1, text: 'type 4294967295' },
  ])('describes $typeId as $text', ({ typeId, text }) => {
    expect(describeUnknownType(ofType(typeId))).toBe(text);
  });

  it.each([
    { id: 'a conversion', bytes: packSubnetToL1Conversion({ id: validationId }) },
    { id: 'a registration order', bytes: ofType(1) },
    { id: 'a registration', bytes: packL1ValidatorRegistration({ validationId, registered: true }) },
    { id: 'a weight', bytes: packL1ValidatorWeight({ validationId, nonce: 1n, weight: 2n }) },
    { id: 'no bytes', bytes: new Uint8Array() },
    { id: 'another codec version', bytes: Uint8Array.of(0, 1, 0, 0, 0, 4) },
    { id: 'half a type', bytes: Uint8Array.of(0, 0, 0, 0) },
  ])('has nothing to describe in $id', ({ bytes }) => {
    expect(describeUnknownType(bytes)).toBeUndefined();
  });
});
