import { describe, expect, it } from '@jest/globals';
import { addDays, countDays, dayIn, dayOf, startIn, startOf } from './days.js';

describe('days', () => {
  it('begin at midnight UTC', () => {
    expect(startOf('1970-01-02')).toBe(86_400);
    expect(dayOf(86_399)).toBe('1970-01-01');
    expect(dayOf(86_400)).toBe('1970-01-02');
  });

  it.each([
    ['behind UTC', 'America/New_York', '2026-01-05', '2026-01-05T05:00:00Z'],
    ['before UTC by half an hour more', 'Asia/Kolkata', '2026-01-05', '2026-01-04T18:30:00Z'],
    ['in summer', 'Europe/Zurich', '2026-07-01', '2026-06-30T22:00:00Z'],
    ['behind a day of 23 hours', 'Europe/Zurich', '2026-03-30', '2026-03-29T22:00:00Z'],
    ['whose midnight is left out', 'America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00Z'],
    ['furthest in the east', 'Pacific/Kiritimati', '2026-01-05', '2026-01-04T10:00:00Z'],
    ['of UTC', 'UTC', '2026-01-05', '2026-01-05T00:00:00Z'],
  ])('begin with their first moment in a time zone %s', (_, timeZone, day, time) => {
    const start = startIn(timeZone, day);
    expect(new Date(start * 1000).toISOString().replace('.000', '')).toBe(time);
    expect([start - 1, start].map((seconds) => dayIn(timeZone, seconds))).toEqual([addDays(day, -1), day]);
  });

  it('are counted across months, leap days and years', () => {
    expect(addDays('2024-02-28', 1)).toBe('2024-02-29');
    expect(addDays('2023-12-31', 1)).toBe('2024-01-01');
    expect(addDays('2024-01-01', -1)).toBe('2023-12-31');
    expect(countDays('2024-01-01', '2024-12-31')).toBe(366);
    expect(countDays('2024-01-01', '2024-01-01')).toBe(1);
  });
});
