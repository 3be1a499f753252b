import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { IndexProgress } from '../workflows/contracts/index-chain.js';
import { ProgressRecorder } from './progress-recorder.js';

const PLACE = { network: 'fuji', chain: 'evm-1' };

const at = (height: number): IndexProgress => ({
  state: 'running',
  height: String(height),
  tip: '9',
  blocksPerSecond: 0,
  secondsLeft: 0,
  message: null,
});

describe(ProgressRecorder.name, () => {
  let saved: string[];
  let fails: boolean;
  let recorder: ProgressRecorder;

  beforeEach(() => {
    jest.useFakeTimers({ now: 1_000_000 });
    saved = [];
    fails = false;
    const save = (_: unknown, { state, height }: IndexProgress, version: bigint): Promise<void> => {
      if (fails) return Promise.reject(new Error('away'));
      saved.push(`${version} ${state} ${height}`);
      return Promise.resolve();
    };
    const repeat = (_: unknown, version: bigint): Promise<void> => {
      if (fails) return Promise.reject(new Error('away'));
      saved.push(`${version} again`);
      return Promise.resolve();
    };
    recorder = new ProgressRecorder({ save, repeat, saveState: () => Promise.resolve() }, PLACE, 100n);
  });
  afterEach(() => void jest.useRealTimers());

  const offerEverySecond = async (progress: IndexProgress, seconds: number): Promise<void> => {
    for (let i = 0; i < seconds; i++) {
      recorder.offer({ ...progress });
      await jest.advanceTimersByTimeAsync(1_000);
    }
  };

  it('repeats what is unchanged every 20 seconds', async () => {
    await offerEverySecond(at(1), 60);
    expect(saved).toEqual(['100 running 1', '100 again', '100 again']);
  });

  it('writes anew what could not be repeated', async () => {
    await offerEverySecond(at(1), 20);
    fails = true;
    await offerEverySecond(at(1), 1);
    fails = false;
    await offerEverySecond(at(1), 2);
    expect(saved).toEqual(['100 running 1', '101 running 1']);
  });

  it('writes what has changed at most once a second, the last of it for certain', async () => {
    for (const height of [1, 2, 3]) recorder.offer(at(height));
    expect(await settled()).toEqual(['100 running 1']);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(saved).toEqual(['100 running 1', '101 running 3']);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(saved).toHaveLength(2);
  });

  it('writes its last word at once, unless it is written already', async () => {
    recorder.offer(at(1));
    await recorder.finish(at(1));
    expect(saved).toEqual(['100 running 1']);
    recorder.offer(at(2));
    await recorder.finish(at(3));
    await jest.advanceTimersByTimeAsync(60_000);
    expect(saved).toEqual(['100 running 1', '101 running 3']);
  });

  it('writes again what could not be written', async () => {
    fails = true;
    recorder.offer(at(1));
    await settled();
    fails = false;
    await offerEverySecond(at(1), 3);
    expect(saved).toEqual(['101 running 1']);
  });

  it('writes why it waits after all else', async () => {
    recorder.offer(at(1));
    recorder.offer(at(2));
    await recorder.saveWaiting('a node is away');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(saved).toEqual(['100 running 1', '101 waiting 2']);
  });

  async function settled(): Promise<string[]> {
    await jest.advanceTimersByTimeAsync(0);
    return saved;
  }
});
