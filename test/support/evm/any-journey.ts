import fc from 'fast-check';
import { ENDS, type Journey } from './bridge-world.js';

/** Over any of the bridge's chains, between any of its people, with any end. */
export const anyJourney: fc.Arbitrary<Journey> = fc.record({
  route: fc.constantFrom('toRemote', 'toHome', 'betweenRemotes'),
  from: fc.nat(2),
  to: fc.nat(2),
  isCall: fc.boolean(),
  isCallSuccess: fc.boolean(),
  sender: fc.nat(3),
  recipient: fc.nat(3),
  fallback: fc.nat(3),
  amount: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  ends: fc.tuple(fc.constantFrom(...ENDS), fc.constantFrom(...ENDS)),
  isRouted: fc.boolean(),
  namesSender: fc.boolean(),
});
