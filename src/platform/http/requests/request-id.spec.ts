import { describe, expect, it } from '@jest/globals';
import { requestIdOf } from './request-id.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe(requestIdOf.name, () => {
  it.each([
    '5f1c1c1e-9c0e-4a5e-8d0f-0d9c2b1a7e11',
    'Root=1-67891233-abcdef012345678912345678',
    'a',
    'x'.repeat(128),
    'team/job:42.retry_1+a@host~',
  ])('takes over %s', (id) => {
    expect(requestIdOf({ headers: { 'x-request-id': id } })).toBe(id);
  });

  it.each([
    ['none', undefined],
    ['an empty one', ''],
    ['one that is too long', 'x'.repeat(129)],
    ['two, which Node joins', 'one, two'],
    ['blanks', 'a b'],
    ['quotes', 'a"b'],
    ['control characters', 'a\u0007b'],
    ['other letters than ASCII', 'naïve'],
    ['a line break', 'a\n'],
  ])('makes one instead of %s', (_name, id) => {
    expect(requestIdOf({ headers: { 'x-request-id': id } })).toMatch(UUID);
  });

  it('makes another one each time', () => {
    expect(requestIdOf({ headers: {} })).not.toBe(requestIdOf({ headers: {} }));
  });
});
