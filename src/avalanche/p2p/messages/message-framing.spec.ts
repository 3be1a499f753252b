import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toHex } from '../../ids/hex.js';
import { FrameReader, MAX_MESSAGE_BYTES, packFrame } from './message-framing.js';

const announce = (length: number): Uint8Array => {
  const header = new Uint8Array(4);
  new DataView(header.buffer).setUint32(0, length);
  return header;
};

/** Splits `bytes` at the given places, in whatever order and number they come. */
function split(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return cuts.slice(1).map((end, i) => bytes.subarray(cuts[i], end));
}

describe(FrameReader.name, () => {
  it('finds the same messages however the stream is cut', () => {
    const messages = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 });
    fc.assert(
      fc.property(messages, fc.array(fc.nat(600), { maxLength: 80 }), (sent, places) => {
        const reader = new FrameReader();
        const stream = Buffer.concat(sent.map(packFrame));
        const received = split(stream, places).flatMap((chunk) => reader.push(chunk));
        expect(received.map(toHex)).toEqual(sent.map(toHex));
        expect(reader.heldBytes).toBe(0);
      }),
    );
  });

  it('finds the same messages byte by byte', () => {
    const reader = new FrameReader();
    const stream = Buffer.concat([
      packFrame(Uint8Array.of(1, 2, 3)),
      packFrame(new Uint8Array()),
      packFrame(Uint8Array.of(4)),
    ]);
    const received = Array.from(stream).flatMap((byte) => reader.push(Uint8Array.of(byte)));
    expect(received.map(toHex)).toEqual(['010203', '', '04']);
  });

  it('keeps an unfinished message and reports its size', () => {
    const reader = new FrameReader();
    expect(reader.push(packFrame(new Uint8Array(100)).subarray(0, 50))).toEqual([]);
    expect(reader.heldBytes).toBe(50);
    reader.clear();
    expect(reader.heldBytes).toBe(0);
  });

  it('accepts the largest message and refuses one byte more, as soon as it is announced', () => {
    const largest = packFrame(new Uint8Array(MAX_MESSAGE_BYTES));
    expect(new FrameReader().push(largest)[0]).toHaveLength(MAX_MESSAGE_BYTES);
    for (const length of [MAX_MESSAGE_BYTES + 1, 2 ** 31, 2 ** 32 - 1]) {
      expect(() => new FrameReader().push(announce(length))).toThrow(
        expect.objectContaining({ code: 'FRAME_TOO_LARGE' }),
      );
    }
  });

  it('takes no memory for what was only announced', () => {
    const reader = new FrameReader();
    reader.push(announce(MAX_MESSAGE_BYTES));
    expect(reader.heldBytes).toBe(4);
  });

  it('keeps none of the pieces that an unfinished message comes in', () => {
    const reader = new FrameReader();
    const message = Uint8Array.from({ length: 100_000 }, (_, i) => i * 37);
    const piece = new Uint8Array(1);
    const sizes = new Set<number>();
    let mostPerByte = 0;
    const received = Array.from(packFrame(message)).flatMap((byte, index) => {
      piece[0] = byte;
      const messages = reader.push(piece);
      sizes.add(reader.heldBytes);
      mostPerByte = Math.max(mostPerByte, reader.heldBytes / (index + 1));
      return messages;
    });
    expect(received.map(toHex)).toEqual([toHex(message)]);
    expect(mostPerByte).toBeLessThanOrEqual(2);
    // Each is a copy of all that was there.
    expect(sizes.size).toBeLessThan(20);
  });
});

describe(packFrame.name, () => {
  it('refuses what no node would accept', () => {
    expect(() => packFrame(new Uint8Array(MAX_MESSAGE_BYTES + 1))).toThrow(
      expect.objectContaining({ code: 'FRAME_TOO_LARGE' }),
    );
  });
});
