import { describe, expect, it } from '@jest/globals';
import { HostBusyError, HostTurns, TURNS_PER_HOST } from './host-turns.js';

const never = new AbortController().signal;

/** Work that goes on until it is ended. */
class Work {
  running = 0;
  most = 0;
  private readonly ends: (() => void)[] = [];

  readonly run = (): Promise<string> => {
    this.running += 1;
    this.most = Math.max(this.most, this.running);
    return new Promise((resolve) =>
      this.ends.push(() => {
        this.running -= 1;
        resolve('done');
      }),
    );
  };

  endOne(): void {
    this.ends.shift()?.();
  }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe(HostTurns.name, () => {
  it('lets a few ask a host at a time, the others in their order, and everybody another host', async () => {
    const turns = new HostTurns();
    const work = new Work();
    const order: number[] = [];
    const all = Array.from({ length: TURNS_PER_HOST + 2 }, (_, index) =>
      turns.run('a', never, work.run).then(() => order.push(index)),
    );
    await settle();
    expect(work.running).toBe(TURNS_PER_HOST);
    await expect(turns.run('b', never, () => Promise.resolve(1))).resolves.toBe(1);
    for (const _ of all) {
      work.endOne();
      await settle();
    }
    await Promise.all(all);
    expect(order).toEqual([0, 1, 2, 3]);
    expect(work.most).toBe(TURNS_PER_HOST);
  });

  it('refuses whoever comes, or waits, while a host wants to be left alone', async () => {
    const turns = new HostTurns();
    const work = new Work();
    const running = Array.from({ length: TURNS_PER_HOST }, () => turns.run('a', never, work.run));
    const waiting = turns.run('a', never, () => Promise.resolve('asked'));
    await settle();
    turns.pause('a', 60_000);
    work.endOne();
    work.endOne();
    await Promise.all(running);
    await expect(waiting).rejects.toMatchObject({ failure: 'THROTTLED', retryAfterMs: expect.any(Number) });
    await expect(turns.run('a', never, work.run)).rejects.toMatchObject({ failure: 'THROTTLED' });
    await expect(turns.run('b', never, () => Promise.resolve('asked'))).resolves.toBe('asked');
  });

  it('does not let anybody wait for ever, nor after the caller has gone', async () => {
    const turns = new HostTurns(new Set(), 20);
    const work = new Work();
    const running = Array.from({ length: TURNS_PER_HOST }, () => turns.run('a', never, work.run));
    await expect(turns.run('a', never, work.run)).rejects.toBeInstanceOf(HostBusyError);
    const caller = new AbortController();
    const waiting = turns.run('a', caller.signal, work.run);
    caller.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    work.endOne();
    work.endOne();
    await Promise.all(running);
    await expect(turns.run('a', never, () => Promise.resolve('asked'))).resolves.toBe('asked');
  });
});
