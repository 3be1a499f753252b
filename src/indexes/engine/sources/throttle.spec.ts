import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RpcError, type RpcErrorCode, type RpcErrorFacts } from '../../../avalanche/rpc/rpc.error.js';
import { HostLimiter } from '../../../avalanche/rpc/http/host-limiter.js';
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
    ['a limit', failure('NODE_REJECTED', { rpcCode: -32005, rpcMessage: 'limit exceeded' })],
    ['503', failure('NODE_UNREACHABLE', { httpStatus: 503 })],
    ['silence', failure('NODE_TIMED_OUT')],
    ['a lost connection', failure('NODE_UNREACHABLE')],
  ])('asks again after %s, and less at a time from then on', async (_, error) => {
    const throttle = new Throttle(16);
    const request = failing(1, error);
    expect(await settle(throttle.ask(request))).toBe('answer');
    expect(request).toHaveBeenCalledTimes(2);
    expect(throttle.concurrency).toBeLessThan(16);
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

  it('asks no more at a time than it may, and than the host bears with all who ask it', async () => {
    const limiter = new HostLimiter('h');
    expect(new Throttle(4, limiter).concurrency).toBe(4);
    expect(new Throttle(100, limiter).concurrency).toBe(64);
    await settle(new Throttle(4, limiter).ask(failing(1, failure('NODE_TIMED_OUT'))));
    expect(new Throttle(100, limiter).concurrency).toBeLessThan(4);
  });

  it('does not wait for a server that wants to be left alone for long', async () => {
    const request = failing(1, failure('NODE_UNREACHABLE', { httpStatus: 429, retryAfterMs: 3_600_000 }));
    await expect(settle(new Throttle(4).ask(request))).rejects.toMatchObject({ code: 'NODE_UNREACHABLE' });
    expect(request).toHaveBeenCalledTimes(1);
  });
});
