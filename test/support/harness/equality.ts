import { expect } from '@jest/globals';

/** Byte by byte through jest's own rules, half a megabyte takes seconds. */
function sameBytes(a: unknown, b: unknown): boolean | undefined {
  if (!(a instanceof Uint8Array) || !(b instanceof Uint8Array)) return undefined;
  return a.constructor === b.constructor ? Buffer.compare(a, b) === 0 : undefined;
}

expect.addEqualityTesters([sameBytes]);
