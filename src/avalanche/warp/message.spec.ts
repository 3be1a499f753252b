import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codeOf, field, itIsACodec } from '../../../test/support/codec-properties.js';
import { loadVectors } from '../../../test/support/vectors.js';
import { bls } from '../bls/bls.js';
import { fromHex, toHex } from '../ids/hex.js';
import { idFromString, idToString } from '../ids/id.js';
import { packBitSet } from './bit-set.js';
import { packMessage, unpackMessage } from './message.js';
import { packUnsignedMessage, unpackUnsignedMessage, unsignedMessageId } from './unsigned-message.js';

interface ParseVector {
  note: string;
  bytes: string;
  error: string | null;
}

const vectors = loadVectors<{
  canonicalSet: { validators: { signature: string }[] };
  messageToSign: string;
  parseSigned: ParseVector[];
  parseUnsigned: (ParseVector & { id?: string })[];
  signedMessages: { bytes: string; signature: string; signers: number[]; signersBytes: string }[];
  unsignedMessages: {
    note: string;
    bytes: string;
    id: string;
    idCb58: string;
    networkID: number;
    payload: string;
    sourceChainID: string;
    sourceChainIDCb58: string;
  }[];
}>('warp');

/** Our codes for Go's wording. */
const CODES: [RegExp, string][] = [
  [/couldn't unpack codec version|insufficient length/, 'INSUFFICIENT_LENGTH'],
  [/unknown codec version/, 'UNKNOWN_CODEC_VERSION'],
  [/trailing buffer space/, 'TRAILING_BYTES'],
  [/unknown type ID/, 'UNKNOWN_TYPE_ID'],
  [/max slice length exceeded/, 'LENGTH_OUT_OF_RANGE'],
];

function expectedCode(error: string | null): string {
  if (error === null) return 'accepted';
  return CODES.find(([pattern]) => pattern.test(error))?.[1] ?? `no code for: ${error}`;
}

const unsignedMessages = fc.record({
  networkId: field.uint32,
  sourceChainId: field.id,
  payload: field.blob(200),
});

describe('an unsigned message', () => {
  it.each(vectors.unsignedMessages)('is built as avalanchego does: $note', (vector) => {
    const message = {
      networkId: vector.networkID,
      sourceChainId: fromHex(vector.sourceChainID),
      payload: fromHex(vector.payload),
    };
    const bytes = fromHex(vector.bytes);
    expect(toHex(packUnsignedMessage(message))).toBe(vector.bytes);
    expect(unpackUnsignedMessage(bytes)).toEqual(message);
    expect(toHex(unsignedMessageId(bytes))).toBe(vector.id);
    expect(idToString(unsignedMessageId(bytes))).toBe(vector.idCb58);
    expect(idFromString(vector.sourceChainIDCb58)).toEqual(message.sourceChainId);
  });

  it.each(vectors.parseUnsigned)('is parsed or refused as by avalanchego: $note', ({ bytes, error, id }) => {
    expect(codeOf(() => unpackUnsignedMessage(fromHex(bytes)))).toBe(expectedCode(error));
    if (error === null) expect(toHex(unsignedMessageId(fromHex(bytes)))).toBe(id);
  });

  it('is refused with fields that do not fit', () => {
    const message = { networkId: 1, sourceChainId: new Uint8Array(32), payload: new Uint8Array(0) };
    expect(codeOf(() => packUnsignedMessage({ ...message, networkId: 2 ** 32 }))).toBe('INVALID_VALUE');
    expect(codeOf(() => packUnsignedMessage({ ...message, sourceChainId: new Uint8Array(31) }))).toBe(
      'INVALID_VALUE',
    );
  });

  itIsACodec({ values: unsignedMessages, pack: packUnsignedMessage, unpack: unpackUnsignedMessage });
});

describe('a signed message', () => {
  it.each(vectors.signedMessages)('is built as avalanchego does with the signers $signers', (vector) => {
    const message = {
      unsignedMessage: unpackUnsignedMessage(fromHex(vectors.messageToSign)),
      signature: { signers: packBitSet(vector.signers), signature: fromHex(vector.signature) },
    };
    expect(toHex(message.signature.signers)).toBe(vector.signersBytes);
    expect(toHex(packMessage(message))).toBe(vector.bytes);
    expect(unpackMessage(fromHex(vector.bytes))).toEqual(message);
  });

  it.each(vectors.signedMessages)(
    'carries the sum of the signatures of $signers',
    ({ signers, signature }) => {
      const single = signers.map((index) => vectors.canonicalSet.validators[index]!.signature);
      const sum = bls.aggregateSignatures(single.map((hex) => bls.signatureFromBytes(fromHex(hex))));
      expect(toHex(sum.toBytes())).toBe(signature);
    },
  );

  it.each(vectors.parseSigned)('is parsed or refused as by avalanchego: $note', ({ bytes, error }) => {
    expect(codeOf(() => unpackMessage(fromHex(bytes)))).toBe(expectedCode(error));
  });

  it('is refused with a signature of another length', () => {
    const unsignedMessage = unpackUnsignedMessage(fromHex(vectors.messageToSign));
    const signature = { signers: Uint8Array.of(1), signature: new Uint8Array(95) };
    expect(codeOf(() => packMessage({ unsignedMessage, signature }))).toBe('INVALID_VALUE');
  });

  itIsACodec({
    values: fc.record({
      unsignedMessage: unsignedMessages,
      signature: fc.record({ signers: field.blob(20), signature: field.bytes(96) }),
    }),
    pack: packMessage,
    unpack: unpackMessage,
  });
});
