import { describe, expect, it } from '@jest/globals';
import { PeerDirectory } from '../network/peer-directory.js';
import { PeerExchange } from './peer-exchange.js';

const LIMITS = { urgentIntervalMs: 10, intervalMs: 1_000, urgentPeers: 4, filterLifetimeMs: 60_000 };

describe(PeerExchange.name, () => {
  /** Milliseconds at which one peer is asked, in the first so many. */
  function askedAt(exchange: PeerExchange, untilMs: number, isUrgent: boolean): number[] {
    const asked: number[] = [];
    for (let nowMs = 0; nowMs < untilMs; nowMs++) {
      exchange.tick(nowMs, isUrgent, () => [{ askForPeers: () => void asked.push(nowMs) }]);
    }
    return asked;
  }

  const makeExchange = (directory = new PeerDirectory(10, () => true)): PeerExchange =>
    new PeerExchange(directory, LIMITS);

  it('asks ever less often while somebody is missing and nothing new arrives', () => {
    expect(askedAt(makeExchange(), 4_000, true)).toEqual([0, 20, 60, 140, 300, 620, 1_260, 2_260, 3_260]);
  });

  it('asks at its leisure while nobody is missing', () => {
    expect(askedAt(makeExchange(), 2_500, false)).toEqual([0, 1_000, 2_000]);
  });

  it('is back at its first pace once nodes are wanted that were not before', () => {
    const exchange = makeExchange();
    expect(askedAt(exchange, 700, true)).toEqual([0, 20, 60, 140, 300, 620]);
    exchange.hurry();
    const asked: number[] = [];
    for (let nowMs = 620; nowMs < 660; nowMs++) {
      exchange.tick(nowMs, true, () => [{ askForPeers: () => void asked.push(nowMs) }]);
    }
    expect(asked).toEqual([630, 650]);
  });

  it('goes on at its first pace while answers bring new addresses', () => {
    const directory = new PeerDirectory(10, () => true);
    const exchange = makeExchange(directory);
    const asked: number[] = [];
    for (let nowMs = 0; nowMs < 40; nowMs++) {
      exchange.tick(nowMs, true, () => [
        {
          askForPeers: () => {
            asked.push(nowMs);
            directory.setAddresses([{ nodeId: `NodeID-${nowMs}`, host: '127.0.0.1', port: 1 }]);
          },
        },
      ]);
    }
    // The first question is asked with an empty directory.
    expect(asked).toEqual([0, 20, 30]);
  });
});
