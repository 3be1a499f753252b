import { describe, expect, it } from '@jest/globals';
import { AnswerTimes } from './answer-times.js';

const after = (times: readonly number[]): number => {
  const answers = new AnswerTimes();
  times.forEach((time) => answers.observe(time));
  return answers.patienceMs;
};
const many = (time: (i: number) => number): number[] => Array.from({ length: 200 }, (_, i) => time(i));

describe('the time in which validators answer', () => {
  it('is not known before one has', () => {
    expect(after([])).toBe(0);
  });

  it('is taken generously after the first answer', () => {
    expect(after([100])).toBe(300);
  });

  it('comes near to answers that are all alike', () => {
    expect(after(many(() => 100))).toBeCloseTo(100, 0);
  });

  it('is longer than nearly all answers that differ', () => {
    const differing = (i: number) => 50 + ((i * 37) % 200);
    expect(after(many(differing))).toBeGreaterThan(240);
  });

  it('grows with the load, up to a bound, and shrinks again', () => {
    expect(after([...many(() => 100), ...many(() => 900)])).toBeGreaterThan(890);
    expect(after(many(() => 60_000))).toBe(2_500);
    expect(after([...many(() => 60_000), ...many(() => 100)])).toBeLessThan(150);
  });
});
