import { describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { factsOfWork, Work } from './log-context.js';

describe(Work.name, () => {
  it('owns what is called in it, also later, and nothing else', async () => {
    const one = new Work({ requestId: 'one' });
    const other = new Work({ workflowId: 'other', activity: 'doThings', attempt: 2 });
    const later = async () => {
      await nextTurn();
      return factsOfWork();
    };
    expect(await Promise.all([one.run(later), later(), other.run(later)])).toEqual([
      { requestId: 'one' },
      {},
      { workflowId: 'other', activity: 'doThings', attempt: 2 },
    ]);
  });

  it('owns nothing once it is over, whatever it has left behind', async () => {
    const work = new Work({ requestId: 'one' });
    const left = work.run(async () => {
      await nextTurn();
      return factsOfWork();
    });
    work.isOver = true;
    expect(await left).toEqual({});
  });
});
