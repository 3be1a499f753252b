import { describe, expect, it } from '@jest/globals';
import { makePrintable, MAX_APP_ERROR_MESSAGE_CHARS, PendingRequests } from './pending-requests.js';

const chainId = new Uint8Array(32);
const request = { chainId, answerKind: 'appResponse', timeoutMs: 60_000 } as const;

const respond = (pending: PendingRequests, requestId: number, body = chainId): boolean =>
  pending.onAnswer({ requestId, chainId, answerKind: 'appResponse', body });

function collectIds(pending: PendingRequests, count: number): number[] {
  const ids: number[] = [];
  for (let i = 0; i < count; i++) {
    pending.add(request, (id) => ids.push(id) > 0).catch(() => undefined);
  }
  return ids;
}

describe(PendingRequests.name, () => {
  it('starts at a random odd id', () => {
    const firsts = Array.from({ length: 20 }, () => collectIds(new PendingRequests(10), 1)[0]!);
    expect(firsts.every((id) => id % 2 === 1 && id > 0 && id < 2 ** 32)).toBe(true);
    expect(new Set(firsts).size).toBeGreaterThan(15);
  });

  it('counts on by two, beyond the largest id too, and skips ids in use', () => {
    const pending = new PendingRequests(10, 2 ** 32 - 3);
    expect(collectIds(pending, 4)).toEqual([2 ** 32 - 3, 2 ** 32 - 1, 1, 3]);
    const next = new PendingRequests(10, 5);
    const [first] = collectIds(next, 3);
    expect(first).toBe(5);
    expect(respond(next, 7)).toBe(true);
    expect(collectIds(next, 1)).toEqual([11]);
  });

  it('comes round to an id that is still in use without taking it twice', () => {
    const pending = new PendingRequests(10, 2 ** 32 - 1);
    const [last] = collectIds(pending, 1);
    const wrapped = new PendingRequests(10, last);
    expect(collectIds(wrapped, 2)).toEqual([2 ** 32 - 1, 1]);
  });

  it('settles each request once and reports what nobody asked', async () => {
    const pending = new PendingRequests(10, 1);
    const answer = pending.add(request, () => true);
    expect(pending.size).toBe(1);
    expect(respond(pending, 1, Uint8Array.of(1))).toBe(true);
    expect(respond(pending, 1, Uint8Array.of(2))).toBe(false);
    expect(pending.onError(1, chainId, { code: 1, message: '' })).toBe(false);
    pending.rejectAll('late');
    expect(await answer).toEqual(Uint8Array.of(1));
    expect(pending.size).toBe(0);
  });

  it('distinguishes a late answer from one that nobody asked for, once', async () => {
    const pending = new PendingRequests(10, 1);
    const stop = new AbortController();
    const aborted = pending.add({ ...request, signal: stop.signal }, () => true);
    const late = pending.add({ ...request, timeoutMs: 1 }, () => true);
    stop.abort();
    await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(late).rejects.toMatchObject({ code: 'TIMED_OUT' });
    expect([respond(pending, 1), respond(pending, 1)]).toEqual([true, false]);
    expect(pending.onError(3, chainId, { code: 1, message: '' })).toBe(true);
    expect(respond(pending, 3)).toBe(false);
  });

  it('takes no answer of another kind or chain', async () => {
    const pending = new PendingRequests(10, 1);
    const answer = pending.add({ ...request, answerKind: 'ancestors' }, () => true);
    expect(respond(pending, 1)).toBe(false);
    const ancestors = { requestId: 1, chainId, answerKind: 'ancestors', body: 'containers' } as const;
    expect(pending.onAnswer({ ...ancestors, chainId: Uint8Array.of(1) })).toBe(false);
    expect(pending.onAnswer(ancestors)).toBe(true);
    expect(await answer).toBe('containers');
  });

  it('remembers no more given up requests than may wait', async () => {
    const pending = new PendingRequests(3, 1);
    for (let i = 0; i < 5; i++) {
      const stop = new AbortController();
      const aborted = pending.add({ ...request, signal: stop.signal }, () => true);
      stop.abort();
      await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' });
    }
    const wereAsked = [1, 3, 5, 7, 9].map((id) => respond(pending, id));
    expect(wereAsked).toEqual([false, false, true, true, true]);
  });

  it('puts one listener on a signal, however many requests wait on it', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const counting = Object.assign(signal, { addEventListener: () => (listeners += 1) });
    const pending = new PendingRequests(10, 1);
    const answers = Array.from({ length: 5 }, () =>
      pending.add({ ...request, signal: counting }, () => true),
    );
    expect(listeners).toBe(1);
    pending.rejectAll('the test is over');
    expect((await Promise.allSettled(answers)).map(({ status }) => status)).toEqual(
      Array(5).fill('rejected'),
    );
  });

  it('rejects what could not be sent', async () => {
    const pending = new PendingRequests(10, 1);
    await expect(pending.add(request, () => false)).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    expect(pending.size).toBe(0);
  });

  it('leaves no listener on the signal', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const counting = Object.assign(signal, {
      addEventListener: () => (listeners += 1),
      removeEventListener: () => (listeners -= 1),
    });
    const pending = new PendingRequests(10, 1);
    const answer = pending.add({ ...request, signal: counting }, () => true);
    expect(listeners).toBe(1);
    respond(pending, 1);
    await answer;
    expect(listeners).toBe(0);
  });

  it('keeps to the longest time that a timer can run', async () => {
    const pending = new PendingRequests(10, 1);
    const answer = pending.add({ ...request, timeoutMs: Infinity }, () => true);
    await new Promise((resolve) => setImmediate(resolve));
    expect(pending.size).toBe(1);
    pending.rejectAll('the test is over');
    await expect(answer).rejects.toMatchObject({ code: 'DISCONNECTED' });
  });
});

describe(makePrintable.name, () => {
  it('bounds the text and takes the tricks out of it', () => {
    expect(makePrintable('plain “text” — ok')).toBe('plain “text” — ok');
    expect(makePrintable('a\r\nb\u0000\u001b\u007f\u2028\u200f\ud800')).toBe(
      `a${'\ufffd'.repeat(2)}b${'\ufffd'.repeat(6)}`,
    );
    expect(Array.from(makePrintable('🙂'.repeat(1000)))).toHaveLength(MAX_APP_ERROR_MESSAGE_CHARS);
  });
});
