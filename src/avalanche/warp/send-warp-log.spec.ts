import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codeOf, field } from '../../../test/support/codec-properties.js';
import { packSendWarpMessageData } from '../../../test/support/signatures/send-warp-log.js';
import { loadVectors } from '../../../test/support/vectors.js';
import { fromHex, toHex } from '../ids/hex.js';
import { SEND_WARP_MESSAGE_TOPIC, unwrapMessageInput, WARP_PRECOMPILE_ADDRESS } from './send-warp-log.js';
import { packUnsignedMessage, unsignedMessageId } from './unsigned-message.js';

const vectors = loadVectors<{
  cases: { note: string; input: string; result: string | null }[];
  data: string;
  precompile: string;
  topics: [string, string, string];
  unsignedMessage: string;
}>('send_warp_log');

const message = vectors.unsignedMessage;
const word = (value: bigint | number): string => value.toString(16).padStart(64, '0');
const messageWords = message.padEnd(Math.ceil(message.length / 64) * 64, '0');
const length = message.length / 2;

const messages = fc
  .record({ networkId: field.uint32, sourceChainId: field.id, payload: field.blob(200) })
  .map(packUnsignedMessage);

describe(packSendWarpMessageData.name, () => {
  it('makes the log of the vectors', () => {
    expect(toHex(packSendWarpMessageData(fromHex(message)))).toBe(vectors.data);
    expect(SEND_WARP_MESSAGE_TOPIC).toBe(vectors.topics[0]);
    expect(`0x${toHex(unsignedMessageId(fromHex(message)))}`).toBe(vectors.topics[2]);
    expect(WARP_PRECOMPILE_ADDRESS).toBe(vectors.precompile);
  });
});

describe(unwrapMessageInput.name, () => {
  it.each(vectors.cases)('unwraps what avalanchego unwraps: $note', ({ input, result }) => {
    if (result === null) expect(codeOf(() => unwrapMessageInput(fromHex(input)))).not.toBe('accepted');
    else expect(toHex(unwrapMessageInput(fromHex(input)))).toBe(result);
  });

  it('takes any message, bare or logged', () => {
    fc.assert(
      fc.property(messages, (bytes) => {
        expect(unwrapMessageInput(bytes)).toEqual(bytes);
        expect(unwrapMessageInput(packSendWarpMessageData(bytes))).toEqual(bytes);
      }),
    );
  });

  it('follows an offset that leaves a gap', () => {
    const input = word(64) + word(0) + word(length) + messageWords;
    expect(toHex(unwrapMessageInput(fromHex(input)))).toBe(message);
  });

  it.each([
    ['an offset beyond the data', word(2 ** 20) + word(length) + messageWords],
    ['an offset of 2^256-1', 'ff'.repeat(32) + word(length) + messageWords],
    ['a length beyond the data', word(32) + word(length + 200) + messageWords],
    ['a length of 2^256-1', word(32) + 'ff'.repeat(32) + messageWords],
    ['a length one short', word(32) + word(length - 1) + messageWords],
    ['a length one too long', word(32) + word(length + 1) + messageWords],
    ['a log cut inside the message', word(32) + word(length) + message.slice(0, -2)],
    [
      'a log in a log',
      word(32) + word(64 + messageWords.length / 2) + word(32) + word(length) + messageWords,
    ],
    ['a message with a trailing byte', `${message}00`],
    ['a word that points at itself', word(0)],
  ])('refuses %s', (_, input) => {
    expect(codeOf(() => unwrapMessageInput(fromHex(input)))).not.toBe('accepted');
  });

  it('raises nothing but CodecError on any bytes', () => {
    const mutation = fc.tuple(fc.nat(), fc.nat({ max: 255 }));
    fc.assert(
      fc.property(messages, fc.array(mutation, { maxLength: 4 }), (bytes, mutations) => {
        const input = packSendWarpMessageData(bytes);
        for (const [place, byte] of mutations) input[place % input.length] = byte;
        codeOf(() => unwrapMessageInput(input));
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void codeOf(() => unwrapMessageInput(bytes))),
    );
  });

  it('returns a copy of the message', () => {
    const input = fromHex(message);
    const result = unwrapMessageInput(input);
    input.fill(0);
    expect(toHex(result)).toBe(message);
  });
});
