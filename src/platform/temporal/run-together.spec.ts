import { describe, expect, it } from '@jest/globals';
import { EventEmitter, once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { runTogether } from './run-together.js';

describe(runTogether.name, () => {
  it('closes the connection once all workers have ended, also when one of them has failed before', async () => {
    const events: string[] = [];
    const stopping = new EventEmitter();
    const working = once(stopping, 'stop')
      .then(() => nextTurn())
      .then(() => void events.push('a worker has ended'));
    const connection = { close: async () => void events.push('the connection is closed') };
    const stop = (): void => void stopping.emit('stop');
    const running = runTogether([Promise.reject(new Error('broken')), working], { stop, connection });
    await expect(running.completed).rejects.toThrow('broken');
    await running.close();
    expect(events).toEqual(['a worker has ended', 'the connection is closed']);
  });
});
