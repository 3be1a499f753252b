import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { HostLimiter, HostLimiters, type LimitedRequest } from './host-limiter.js';
import { RpcError, type RpcErrorCode, type RpcErrorFacts } from '../rpc.error.js';

const failure = (code: RpcErrorCode, facts: Partial<RpcErrorFacts> = {}): RpcError =>
  new RpcError(code, 'no', { host: 'h', method: 'm', ...facts });

const BUSY = failure('NODE_UNREACHABLE', { httpStatus: 429 });

const request = <T>(run: () => Promise<T>): LimitedRequest<T> => ({ run, method: 'm' });

const pass = async <T>(value: T): Promise<T> => value;

const answer = (limiter: HostLimiter): Promise<string> => limiter.ask(request(() => pass('answer')));

const fail = (limiter: HostLimiter, error: RpcError): Promise<unknown> =>
  limiter.ask(request(() => Promise.reject(error))).catch((reason: unknown) => reason);

/** Requests that are answered when the test releases them. */
function held(limiter: HostLimiter, count: number) {
  const endings: ((error?: RpcError) => void)[] = [];
  const outcomes = Array.from({ length: count }, () =>
    limiter
      .ask(
        request(
          () =>
            new Promise<void>((resolve, reject) => {
              endings.push((error) => (error === undefined ? resolve() : reject(error)));
            }),
        ),
      )
      .catch((reason: unknown) => reason),
  );
  return { endings, all: Promise.all(outcomes) };
}

describe(HostLimiter.name, () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  const pace = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  it('lets everybody through as long as the host does not object', async () => {
    const limiter = new HostLimiter('h');
    const { endings, all } = held(limiter, 50);
    await pace(0);
    expect(endings).toHaveLength(50);
    for (const end of endings) end();
    await all;
  });

  it('halves what is in flight when the host has had enough, once for all that were refused together', async () => {
    const limiter = new HostLimiter('h');
    const { endings, all } = held(limiter, 16);
    await pace(0);
    for (const end of endings) end(BUSY);
    await all;
    expect(limiter.concurrency).toBe(8);
  });

  it('grows slowly with the answers, and lets no more through than it has found out', async () => {
    const limiter = new HostLimiter('h');
    await fail(limiter, BUSY);
    expect(limiter.concurrency).toBe(1);
    const { endings, all } = held(limiter, 10);
    await pace(10_000);
    expect(endings).toHaveLength(1);
    for (let at = 0; at < 10; at += 1) {
      endings[at]?.();
      await pace(3_000);
      if (at === 0) expect(endings).toHaveLength(3);
    }
    await all;
    expect(limiter.concurrency).toBe(4);
  });

  it('leaves the host alone for as long as it asks, for everybody, and twice as long each time when it names no time', async () => {
    const limiter = new HostLimiter('h');
    await fail(limiter, failure('NODE_UNREACHABLE', { httpStatus: 429, retryAfterMs: 5_000 }));
    expect(limiter.pauseMs).toBe(5_000);
    const others = [answer(limiter), answer(limiter)];
    const done = jest.fn();
    void Promise.all(others).then(done);
    await pace(4_900);
    expect(done).not.toHaveBeenCalled();
    await pace(5_000);
    expect(done).toHaveBeenCalled();
    const pauses: number[] = [];
    for (let count = 0; count < 3; count += 1) {
      await fail(limiter, BUSY);
      pauses.push(limiter.pauseMs);
      await pace(10_000);
    }
    expect(pauses[1]).toBeGreaterThan(pauses[0] ?? Infinity);
    expect(pauses[2]).toBeGreaterThan(pauses[1] ?? Infinity);
  });

  it('does not let a host switch itself off for days', async () => {
    const limiter = new HostLimiter('h');
    await fail(limiter, failure('NODE_UNREACHABLE', { httpStatus: 429, retryAfterMs: 1e12 }));
    expect(limiter.pauseMs).toBeLessThanOrEqual(600_000);
  });

  it('sends away at once who would have to wait for too long, and after a while who has waited in vain', async () => {
    const limiter = new HostLimiter('host:1');
    const { endings, all } = held(limiter, 64);
    await pace(0);
    const late = limiter
      .ask({ ...request(() => pass(1)), maxWaitMs: 2_000 })
      .catch((reason: unknown) => reason);
    await pace(2_000);
    const facts = { host: 'host:1', method: 'm', retryAfterMs: 1_000 };
    expect(await late).toMatchObject({ code: 'NODE_UNREACHABLE', facts });
    for (const end of endings) end();
    await all;
    await fail(limiter, failure('NODE_UNREACHABLE', { httpStatus: 503, retryAfterMs: 60_000 }));
    expect(await fail(limiter, BUSY)).toMatchObject({ facts: { retryAfterMs: 60_000 } });
  });

  it('forgets who gives up, with the reason', async () => {
    const limiter = new HostLimiter('h');
    await fail(limiter, failure('NODE_UNREACHABLE', { httpStatus: 429, retryAfterMs: 5_000 }));
    const run = jest.fn(() => pass(1));
    const controller = new AbortController();
    const waiting = limiter.ask({ ...request(run), signal: controller.signal });
    const rejection = expect(waiting).rejects.toThrow('enough');
    controller.abort(new Error('enough'));
    await rejection;
    await pace(60_000);
    expect(run).not.toHaveBeenCalled();
  });

  it.each<[string, RpcError, number]>([
    ['that nobody can reach is asked less', failure('NODE_UNREACHABLE'), 4],
    ['that is silent is asked less', failure('NODE_TIMED_OUT'), 4],
    ['that refuses for another reason is asked as before', failure('NODE_REJECTED', { rpcCode: 3 }), 64],
    ['that talks nonsense is asked as before', failure('NODE_BAD_RESPONSE'), 64],
  ])('a host %s, and at once', async (_, error, concurrency) => {
    const limiter = new HostLimiter('h');
    const { endings, all } = held(limiter, 8);
    await pace(0);
    for (const end of endings) end(error);
    await all;
    expect([limiter.concurrency, limiter.pauseMs]).toEqual([concurrency, 0]);
  });

  it('takes the silence upon one request for that request being heavy while others are answered', async () => {
    const limiter = new HostLimiter('h');
    const { endings, all } = held(limiter, 2);
    await pace(0);
    endings[0]?.();
    await pace(1);
    endings[1]?.(failure('NODE_TIMED_OUT'));
    await all;
    expect(limiter.concurrency).toBe(64);
  });

  it('hears a complaint inside an answer that is good otherwise', async () => {
    const limiter = new HostLimiter('h');
    const limitIn = () => failure('NODE_REJECTED', { rpcCode: -32005, rpcMessage: 'limit exceeded' });
    expect(await limiter.ask({ ...request(() => pass('half')), limitIn })).toBe('half');
    expect(limiter.pauseMs).toBeGreaterThan(0);
  });

  it('begins no more in a second than configured', async () => {
    const limiter = new HostLimiter('h', { requestsPerSecond: 10 });
    const { endings, all } = held(limiter, 60);
    await pace(1_000);
    expect(endings.length).toBeGreaterThanOrEqual(9);
    expect(endings.length).toBeLessThanOrEqual(12);
    await pace(5_000);
    for (const end of endings) end();
    await all;
    expect(endings).toHaveLength(60);
  });

  it('finds the rate of a host that allows 10 requests in a second, and is refused seldom', async () => {
    const limiter = new HostLimiter('h');
    let second = 0;
    let inSecond = 0;
    const counts = { answered: 0, refused: 0 };
    const ask = async (): Promise<void> => {
      const now = Math.floor(Date.now() / 1_000);
      inSecond = now === second ? inSecond + 1 : 1;
      second = now;
      if (inSecond > 10) {
        counts.refused += 1;
        throw BUSY;
      }
      counts.answered += 1;
    };
    const clients = Array.from({ length: 8 }, async () => {
      while (counts.answered < 400) await limiter.ask(request(ask)).catch(() => undefined);
    });
    const start = Date.now();
    const all = Promise.all(clients);
    while (counts.answered < 400) await pace(100);
    await pace(10_000);
    await all;
    expect(counts.refused).toBeLessThan(40);
    expect(Date.now() - start).toBeLessThan(120_000);
  });

  it('keeps to 20 calls in a second, however many are in a request', async () => {
    const limiter = new HostLimiter('h');
    const counts = { answered: 0, refused: 0 };
    let [allowance, at] = [40, performance.now()];
    const ask = (calls: number): Promise<void> =>
      limiter.ask({
        method: 'm',
        calls,
        run: async () => {
          const now = performance.now();
          allowance = Math.min(40, allowance + ((now - at) / 1_000) * 20);
          at = now;
          if (calls > allowance) {
            counts.refused += 1;
            throw BUSY;
          }
          allowance -= calls;
          counts.answered += calls;
        },
      });
    // A search halves ranges, many at a time and then the last ones alone.
    const sizes = [...Array<number>(20).fill(6), ...Array<number>(80).fill(1)];
    const total = 2_000;
    const clients = Array.from({ length: 4 }, async () => {
      for (let turn = 0; counts.answered < total; turn += 1) {
        await ask(sizes[turn % sizes.length] ?? 1).catch(() => undefined);
      }
    });
    const start = Date.now();
    while (counts.answered < total) await pace(100);
    const seconds = (Date.now() - start) / 1_000;
    await pace(10_000);
    await Promise.all(clients);
    expect(seconds).toBeLessThan(total / 18);
    expect(counts.refused).toBeLessThan(40);
  });

  it('goes on when the clock of the machine is put back', async () => {
    const limiter = new HostLimiter('h');
    const { endings } = held(limiter, 2);
    jest.setSystemTime(Date.now() - 600_000);
    held(limiter, 2);
    await pace(0);
    expect(endings).toHaveLength(2);
    expect(limiter.queueLength).toBe(0);
  });
});

describe(HostLimiters.name, () => {
  it('has one limiter for each host', () => {
    const limiters = new HostLimiters();
    expect(limiters.of('a:1')).toBe(limiters.of('a:1'));
    expect(limiters.of('a:1')).not.toBe(limiters.of('a:2'));
  });
});
