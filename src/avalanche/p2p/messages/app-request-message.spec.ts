import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toHex } from '../../ids/hex.js';
import { encodeAppRequest } from './app-request-message.js';
import { encodeMessage } from './p2p-message.js';

const bytes = (maxLength: number) => fc.uint8Array({ minLength: 1, maxLength });

it('an app request is written as the protobuf library does', () => {
  const request = fc.record({
    chainId: bytes(40),
    requestId: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
    deadline: fc.oneof(
      fc.integer({ min: 1, max: 1_000 }),
      fc.maxSafeInteger().map((n) => Math.abs(n) + 1),
    ),
    appBytes: fc.oneof(
      bytes(300),
      fc.constantFrom(16_000, 20_000, 70_000).map((n) => new Uint8Array(n).fill(7)),
    ),
  });
  fc.assert(
    fc.property(request, (value) => {
      const expected = encodeMessage({
        case: 'appRequest',
        value: { ...value, deadline: BigInt(value.deadline) },
      });
      expect(toHex(encodeAppRequest(value))).toBe(toHex(expected));
    }),
  );
});
