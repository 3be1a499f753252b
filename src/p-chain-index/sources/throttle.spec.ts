import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RpcError, type RpcErrorCode, type RpcErrorFacts } from '../../avalanche/rpc/rpc.error.js';
import { Throttle } from './throttle.js';

const failure = (code: RpcErrorCode, facts: Partial<RpcErrorFacts> = {}): RpcError =>
  new RpcError(code, 'no', { host: 'h', method: 'm', ...facts });

/** Fails a number of times, then answers. */
function failing(times: number, error: RpcError) {
  return jest.fn(async () => {
    if (times-- > 0) throw error;
    return 'answer';
  });
}

describe(Throttle.name, () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  const settle = async <T>(promise: Promise<T>): Promise<T> => {
    promise.catch(() => undefined);
    await jest.advanceTimersByTimeAsync(60_000);
    return promise;
  };

  it.each<[string, RpcError]>([
    ['429', failure('NODE_UNREACHABLE', { httpStatus: 429 })],
    ['503', failure('NODE_UNREACHABLE', { httpStatus: 503 })],
    ['silence', failure('NODE_TIMED_OUT')],
    ['a lost connection', failure('NODE_UNREACHABLE')],
  ])('asks again after %s, and less at a time from then on', async (_, error) => {
    const throttle = new Throttle(16);
    const request = failing(1, error);
    expect(await settle(throttle.ask(request))).toBe('answer');
    expect(request).toHaveBeenCalledTimes(2);
    expect(throttle.concurrency).toBe(8);
  });

  it.each<RpcErrorCode>(['NODE_REJECTED', 'NODE_BAD_RESPONSE'])(
    'does not ask again after %s',
    async (code) => {
      const throttle = new Throttle(16);
      const request = failing(1, failure(code));
      await expect(settle(throttle.ask(request))).rejects.toMatchObject({ code });
      expect(request).toHaveBeenCalledTimes(1);
      expect(throttle.concurrency).toBe(16);
    },
  );

  it('gives up after some attempts', async () => {
    const request = failing(100, failure('NODE_TIMED_OUT'));
    await expect(settle(new Throttle(4).ask(request))).rejects.toMatchObject({ code: 'NODE_TIMED_OUT' });
    expect(request).toHaveBeenCalledTimes(4);
  });

  it('takes failures of requests that ran together for one sign', async () => {
    const throttle = new Throttle(16);
    const requests = Array.from({ length: 10 }, () => throttle.ask(failing(1, failure('NODE_TIMED_OUT'))));
    await jest.advanceTimersByTimeAsync(10);
    expect(throttle.concurrency).toBe(8);
    await settle(Promise.all(requests));
  });

  it('never asks less than one at a time, and grows back slowly, but not above its limit', async () => {
    const throttle = new Throttle(4);
    for (let i = 0; i < 6; i++) {
      await settle(throttle.ask(failing(1, failure('NODE_TIMED_OUT'))));
      await jest.advanceTimersByTimeAsync(1_000);
    }
    expect(throttle.concurrency).toBeLessThanOrEqual(2);
    for (let i = 0; i < 3; i++) await settle(throttle.ask(failing(0, failure('NODE_TIMED_OUT'))));
    expect(throttle.concurrency).toBeLessThan(4);
    for (let i = 0; i < 100; i++) await settle(throttle.ask(failing(0, failure('NODE_TIMED_OUT'))));
    expect(throttle.concurrency).toBe(4);
  });

  it('leaves a server alone for as long as it asks', async () => {
    const throttle = new Throttle(4);
    const request = failing(1, failure('NODE_UNREACHABLE', { httpStatus: 429, retryAfterMs: 5_000 }));
    const answer = throttle.ask(request);
    const other = throttle.ask(failing(0, failure('NODE_TIMED_OUT')));
    await jest.advanceTimersByTimeAsync(4_900);
    expect(request).toHaveBeenCalledTimes(1);
    const later = failing(0, failure('NODE_TIMED_OUT'));
    const waiting = throttle.ask(later);
    await jest.advanceTimersByTimeAsync(50);
    expect(later).not.toHaveBeenCalled();
    expect(await settle(Promise.all([answer, other, waiting]))).toEqual(['answer', 'answer', 'answer']);
  });

  it('does not wait for a server that wants to be left alone for long', async () => {
    const request = failing(1, failure('NODE_UNREACHABLE', { httpStatus: 429, retryAfterMs: 3_600_000 }));
    await expect(settle(new Throttle(4).ask(request))).rejects.toMatchObject({ code: 'NODE_UNREACHABLE' });
    expect(request).toHaveBeenCalledTimes(1);
  });
});
