import { describe, expect, it } from '@jest/globals';
import { addDays, countDays, dayOf, startOf } from './days.js';

describe('days', () => {
  it('begin at midnight UTC', () => {
    expect(startOf('1970-01-02')).toBe(86_400);
    expect(dayOf(86_399)).toBe('1970-01-01');
    expect(dayOf(86_400)).toBe('1970-01-02');
  });

  it('are counted across months, leap days and years', () => {
    expect(addDays('2024-02-28', 1)).toBe('2024-02-29');
    expect(addDays('2023-12-31', 1)).toBe('2024-01-01');
    expect(addDays('2024-01-01', -1)).toBe('2023-12-31');
    expect(countDays('2024-01-01', '2024-12-31')).toBe(366);
    expect(countDays('2024-01-01', '2024-01-01')).toBe(1);
  });
});
