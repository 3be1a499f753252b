import { describe, expect, it } from '@jest/globals';
import type { PeerAddress } from './address.js';
import { DEFAULT_REDIAL_LIMITS } from './redial.js';
import { TrackedNode } from './tracked-node.js';

const MINUTE_MS = 60_000;
const nodeId = 'NodeID-1';
const refused = { kind: 'handshake', text: 'handshake failed' } as const;
const addresses: Record<'loopback' | 'remote', PeerAddress> = {
  loopback: { nodeId, host: '127.0.0.1', port: 9651 },
  remote: { nodeId, host: '203.0.113.1', port: 9651 },
};

/** Refused so often that it is left alone for minutes; the last attempt was at this time. */
function refusedNode(address: PeerAddress, nowMs: number) {
  const node = new TrackedNode<{ isReady: boolean }>(nodeId, {
    ...DEFAULT_REDIAL_LIMITS,
    maxLoopbackDelayMs: 10 * MINUTE_MS,
    maxRemoteDelayMs: 10 * MINUTE_MS,
  });
  node.references = 1;
  for (let i = 0; i < 20; i++) {
    node.onDial({ isReady: false }, nowMs);
    node.onEnd(refused, address, nowMs);
  }
  return node;
}

describe(TrackedNode.name, () => {
  it.each([
    { where: 'loopback', delayMs: DEFAULT_REDIAL_LIMITS.loopbackDelayMs },
    { where: 'remote', delayMs: DEFAULT_REDIAL_LIMITS.remoteDelayMs },
  ] as const)('is due early under a new version, though not at once ($where)', ({ where, delayMs }) => {
    const node = refusedNode(addresses[where], MINUTE_MS);
    expect(node.isDue(4 * MINUTE_MS)).toBe(false);
    node.onNewClientVersion();
    expect(node.isDue(MINUTE_MS + delayMs - 1)).toBe(false);
    expect(node.isDue(MINUTE_MS + delayMs)).toBe(true);
  });

  it('counts failures anew under a new version', () => {
    const node = refusedNode(addresses.loopback, MINUTE_MS);
    node.onNewClientVersion();
    node.onEnd(refused, addresses.loopback, 2 * MINUTE_MS);
    expect(node.isDue(2 * MINUTE_MS + 2 * DEFAULT_REDIAL_LIMITS.loopbackDelayMs)).toBe(true);
  });

  describe('when it closes before TLS because another connection from this address came first', () => {
    const throttled = { kind: 'throttled', text: 'handshake failed: ECONNRESET' } as const;
    const { maxThrottles, remoteDelayMs } = DEFAULT_REDIAL_LIMITS;

    function throttledNode(times: number, address: PeerAddress) {
      const node = new TrackedNode<{ isReady: boolean }>(nodeId, DEFAULT_REDIAL_LIMITS);
      node.references = 1;
      for (let i = 0; i < times; i++) {
        node.onDial({ isReady: false }, 0);
        node.onEnd(throttled, address, 0);
      }
      return node;
    }

    it('is tried again soon, however often it does', () => {
      const node = throttledNode(maxThrottles, addresses.remote);
      expect(node.isDue(remoteDelayMs - 1)).toBe(false);
      expect(node.isDue(2 * remoteDelayMs)).toBe(true);
    });

    it('counts as failed when it never stops, and on this machine, where nodes admit everybody', () => {
      expect(throttledNode(maxThrottles + 5, addresses.remote).isDue(2 * remoteDelayMs)).toBe(false);
      const { loopbackDelayMs } = DEFAULT_REDIAL_LIMITS;
      expect(throttledNode(3, addresses.loopback).isDue(2 * loopbackDelayMs)).toBe(false);
      expect(throttledNode(3, addresses.loopback).isDue(8 * loopbackDelayMs)).toBe(true);
    });
  });

  it('reports who was turned away: by a node that hung up, and as long as it is wanted and not back', () => {
    const node = refusedNode(addresses.remote, 0);
    expect(node.hasTurnedUsAway).toBe(true);
    node.onEnd({ kind: 'unreachable', text: 'refused' }, addresses.remote, 0);
    expect(node.hasTurnedUsAway).toBe(false);
    node.onEnd({ kind: 'lost', text: 'disconnected' }, addresses.remote, 0);
    expect(node.hasTurnedUsAway).toBe(true);
    node.onDial({ isReady: true }, 0);
    expect(node.hasTurnedUsAway).toBe(false);
  });
});
