import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../../../test/support/harness/eventually.js';
import type { AppRequestNetwork } from '../../../avalanche/p2p/network/app-request-network.js';
import { FairRequests } from './fair-requests.js';

const BYTES = 800;
/** With what is around them, 1000 bytes each. */
const REQUESTS_PER_SECOND = 100;

class Bed {
  private nowMs = 0;
  readonly sent: string[] = [];
  private readonly requests = new FairRequests(
    { burst: 10_000, perSecond: REQUESTS_PER_SECOND * 1_000 },
    () => this.nowMs,
  );

  ask(caller: string, signal?: AbortSignal): Promise<Uint8Array> {
    const network: AppRequestNetwork = {
      isConnected: () => true,
      track: () => () => undefined,
      onConnected: () => () => undefined,
      connectionState: () => 'connected',
      appRequest: () => {
        this.sent.push(caller);
        return Promise.resolve(new Uint8Array());
      },
    };
    const request = {
      nodeId: 'n',
      chainId: new Uint8Array(32),
      appBytes: new Uint8Array(BYTES),
      timeoutMs: 1,
      signal,
    };
    return this.requests.of(caller, network).appRequest(request);
  }

  async pass(ms: number, sent: number): Promise<void> {
    this.nowMs += ms;
    await eventually(`${sent} are sent`, () => this.sent.length === sent);
  }
}

describe(FairRequests.name, () => {
  it('lets through what the rate allows, and the rest in time', async () => {
    const bed = new Bed();
    const asked = Array.from({ length: 30 }, () => bed.ask('a'));
    expect(bed.sent).toHaveLength(10);
    await bed.pass(50, 15);
    await bed.pass(100, 25);
    await bed.pass(1_000, 30);
    await Promise.all(asked);
  });

  it('serves first whom it has served least, however many others wait', async () => {
    const bed = new Bed();
    for (let i = 0; i < 100; i++) void bed.ask(`loud ${i % 4}`);
    void bed.ask('quiet');
    await bed.pass(10, 11);
    expect(bed.sent.at(-1)).toBe('quiet');
    for (let i = 0; i < 3; i++) void bed.ask('quiet');
    await bed.pass(100, 21);
    expect(bed.sent.filter((caller) => caller === 'quiet')).toHaveLength(4);
  });

  it('shares evenly among those who ask for more than there is', async () => {
    const bed = new Bed();
    for (let i = 0; i < 200; i++) void bed.ask('first');
    for (let i = 0; i < 200; i++) void bed.ask('second');
    await bed.pass(100, 20);
    await bed.pass(100, 30);
    await bed.pass(100, 40);
    expect(bed.sent.filter((caller) => caller === 'second').length).toBeGreaterThanOrEqual(19);
  });

  it('spends nothing on requests of a collection that is over', async () => {
    const bed = new Bed();
    const over = new AbortController();
    const asked = Promise.allSettled(Array.from({ length: 40 }, () => bed.ask('a', over.signal)));
    over.abort('the collection is over');
    const next = bed.ask('a');
    await bed.pass(10, 11);
    await next;
    expect((await asked).at(-1)).toMatchObject({ reason: { code: 'ABORTED' } });
  });
});
