import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { makeOperationId } from './operation-id.js';

const secret = randomBytes(32);
const key = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 255 });

describe(makeOperationId.name, () => {
  it('makes what looks like a random UUID, the same for the same key', () => {
    fc.assert(
      fc.property(key, (text) => {
        const id = makeOperationId(secret, text);
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(makeOperationId(secret, text)).toBe(id);
      }),
    );
  });

  it('makes another one for another key or another secret', () => {
    fc.assert(
      fc.property(key, key, (a, b) => {
        fc.pre(a !== b);
        expect(makeOperationId(secret, a)).not.toBe(makeOperationId(secret, b));
        expect(makeOperationId(secret, a)).not.toBe(makeOperationId(randomBytes(32), a));
      }),
    );
  });
});
