import { describe, expect, it } from '@jest/globals';
import { Turns } from './turns.js';

describe(Turns.name, () => {
  const never = (): Promise<string> => new Promise(() => undefined);

  it('are limited in each place', () => {
    const turns = new Turns(2, 2);
    expect(turns.during('a', 'x', never)).toBeDefined();
    expect(turns.during('a', 'y', never)).toBeDefined();
    expect(turns.during('a', 'z', never)).toBeUndefined();
    expect(turns.during('b', 'z', never)).toBeDefined();
  });

  it('are limited for each caller', () => {
    const turns = new Turns(10, 1);
    expect(turns.during('a', 'x', never)).toBeDefined();
    expect(turns.during('a', 'x', never)).toBeUndefined();
    expect(turns.during('a', 'y', never)).toBeDefined();
  });

  it('are free again when the work is over, also when it fails', async () => {
    const turns = new Turns(1, 1);
    await turns.during('a', 'x', () => Promise.resolve());
    await turns.during('a', 'x', () => Promise.reject(new Error('no')))?.catch(() => undefined);
    expect(turns.during('a', 'x', never)).toBeDefined();
  });
});
