import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codeOf, field, itIsACodec } from '../../../../test/support/codec-properties.js';
import { loadVectors } from '../../../../test/support/vectors.js';
import { fromHex, toHex } from '../../ids/hex.js';
import { packAddressedCall, unpackAddressedCall } from './addressed-call.js';
import { packHash } from './hash.js';
import { MAX_PAYLOAD_BYTES } from './limits.js';
import { unpackPayload, type Payload } from './payload.js';

const vectors = loadVectors<{
  invalid: { note: string; bytes: string; payloadError: string }[];
  maxAddressedCallBytes: number;
  payloads: { kind: string; note: string; bytes: string; len: number; fields: Record<string, string> }[];
}>('payloads');
const ofKind = (kind: string) => vectors.payloads.filter((vector) => vector.kind === kind);

describe('a hash payload', () => {
  it.each(ofKind('Hash'))('is built as avalanchego does: $note', ({ bytes, fields }) => {
    const hash = fromHex(fields['hash']!);
    expect(toHex(packHash({ hash }))).toBe(bytes);
    expect(unpackPayload(fromHex(bytes))).toEqual({ kind: 'hash', hash });
    expect(codeOf(() => unpackAddressedCall(fromHex(bytes)))).toBe('UNKNOWN_TYPE_ID');
  });

  itIsACodec<Payload>({
    values: fc.record({ kind: fc.constant('hash'), hash: field.id }),
    pack: (payload) => (payload.kind === 'hash' ? packHash(payload) : packAddressedCall(payload)),
    unpack: unpackPayload,
  });
});

describe('an addressed call', () => {
  it.each(ofKind('AddressedCall'))('is built as avalanchego does: $note', ({ bytes, fields }) => {
    const call = { sourceAddress: fromHex(fields['sourceAddress']!), payload: fromHex(fields['payload']!) };
    expect(toHex(packAddressedCall(call))).toBe(bytes);
    expect(unpackAddressedCall(fromHex(bytes))).toEqual(call);
    expect(unpackPayload(fromHex(bytes))).toEqual({ kind: 'addressedCall', ...call });
  });

  it('is refused beyond 24 KiB with its header', () => {
    expect(MAX_PAYLOAD_BYTES).toBe(vectors.maxAddressedCallBytes);
    const call = { sourceAddress: new Uint8Array(20), payload: new Uint8Array(MAX_PAYLOAD_BYTES - 34) };
    const largest = packAddressedCall(call);
    expect(largest).toHaveLength(MAX_PAYLOAD_BYTES);
    expect(unpackAddressedCall(largest)).toEqual(call);
    const tooLarge = { ...call, payload: new Uint8Array(MAX_PAYLOAD_BYTES - 33) };
    expect(codeOf(() => packAddressedCall(tooLarge))).toBe('LENGTH_OUT_OF_RANGE');
    const bytes = Uint8Array.from([...largest, 0]);
    bytes[33]! += 1; // the length field agrees with the extra byte
    expect(codeOf(() => unpackAddressedCall(bytes))).toBe('LENGTH_OUT_OF_RANGE');
    expect(codeOf(() => unpackPayload(bytes))).toBe('LENGTH_OUT_OF_RANGE');
  });

  itIsACodec({
    values: fc.record({ sourceAddress: field.blob(40), payload: field.blob(200) }),
    pack: packAddressedCall,
    unpack: unpackAddressedCall,
  });
});

describe(unpackPayload.name, () => {
  it.each(vectors.invalid)('refuses: $note ($payloadError)', ({ bytes }) => {
    expect(codeOf(() => unpackPayload(fromHex(bytes)))).not.toBe('accepted');
  });

  it('raises nothing but CodecError on any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void codeOf(() => unpackPayload(bytes))),
    );
  });
});
