import { describe, expect, it } from '@jest/globals';
import { PeerConnections } from './peer-connections.js';

const connectionsOf = (queue: string): PeerConnections => {
  const networks = { all: () => [{ name: 'fuji' }] };
  const queues = { includes: (name: string) => name === queue };
  return new PeerConnections(
    undefined as never,
    networks as never,
    queues as never,
    undefined as never,
    undefined as never,
  );
};

describe(PeerConnections.name, () => {
  it('takes no work before it has begun to connect: workers may be started first', () => {
    expect(connectionsOf('signatures').takesWork).toBe(false);
  });

  it('keeps no process from work that needs no peers', () => {
    expect(connectionsOf('exports').takesWork).toBe(true);
  });
});
