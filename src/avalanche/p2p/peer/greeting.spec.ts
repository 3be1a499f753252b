import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Greeting } from './greeting.js';
import { TlsIdentity } from './tls-identity.js';

const NOW = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;

describe(Greeting.name, () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['performance'], now: NOW });
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  const signedAtMs = (greeting: Greeting): number =>
    Number(greeting.makeHandshake(undefined).ipSigningTime) * 1_000;

  it('signs its address with a time that is past on nodes whose clocks are behind, and anew each hour', () => {
    const greeting = new Greeting({
      networkId: 5,
      identity: TlsIdentity.generate(),
      clientVersion: { name: 'avalanchego', major: 1, minor: 15, patch: 0 },
    });
    const first = signedAtMs(greeting);
    expect(first).toBe(NOW - 300_000);
    jest.setSystemTime(NOW + HOUR_MS - 1_000);
    expect(signedAtMs(greeting)).toBe(first);
    jest.setSystemTime(NOW + HOUR_MS);
    expect(signedAtMs(greeting)).toBe(first + HOUR_MS);
    // The clock had been ahead.
    jest.setSystemTime(NOW);
    expect(signedAtMs(greeting)).toBe(first);
  });
});
