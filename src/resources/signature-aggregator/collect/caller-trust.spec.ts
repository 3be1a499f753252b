import { describe, expect, it } from '@jest/globals';
import { CallerTrust } from './caller-trust.js';

class Bed {
  nowMs = 0;
  readonly trust = new CallerTrust(() => this.nowMs);

  noteUnknown(caller: string, times = 1): void {
    for (let i = 0; i < times; i++) this.trust.noteUnknown(caller);
  }
}

describe(CallerTrust.name, () => {
  it('ends after a few unknown messages of a caller, and comes back in time', () => {
    const bed = new Bed();
    bed.noteUnknown('a', 2);
    expect(bed.trust.trusts('a')).toBe(true);
    bed.noteUnknown('a', 4);
    expect(bed.trust.trusts('a')).toBe(false);
    expect(bed.trust.trusts('b')).toBe(true);
    bed.nowMs = 60_000;
    expect(bed.trust.trusts('a')).toBe(true);
  });

  it('is kept by a caller whose new messages are signed in the end', () => {
    const bed = new Bed();
    for (let i = 0; i < 50; i++) {
      bed.noteUnknown('a');
      bed.trust.noteSigned('a');
    }
    expect(bed.trust.trusts('a')).toBe(true);
  });

  it('ends for all strangers when many of them ask for unknown messages, not for a caller who had one signed', () => {
    const bed = new Bed();
    bed.trust.noteSigned('known');
    for (let i = 0; i < 40; i++) bed.noteUnknown(`stranger ${i}`);
    expect(bed.trust.trusts('new')).toBe(false);
    expect(bed.trust.trusts('known')).toBe(true);
    bed.nowMs = 60_000;
    expect(bed.trust.trusts('new')).toBe(true);
  });

  it('of callers beyond number is remembered for the latest', () => {
    const bed = new Bed();
    bed.noteUnknown('first', 5);
    for (let i = 0; i < 20_000; i++) bed.trust.noteSigned(`caller ${i}`);
    bed.nowMs = 120_000;
    bed.noteUnknown('last', 5);
    expect(bed.trust.trusts('first')).toBe(true);
    expect(bed.trust.trusts('last')).toBe(false);
  });
});
