import { describe, expect, it } from '@jest/globals';
import { prefersGzip } from './accept-encoding.js';

describe(prefersGzip.name, () => {
  it.each([
    'gzip',
    'GZIP',
    'x-gzip',
    'deflate, gzip',
    'gzip;q=0.001',
    'gzip; q = 1.0, br',
    '*',
    '*;q=0.5',
    'identity;q=0.5, gzip',
    'identity, gzip',
  ])('prefers gzip for %s', (header) => expect(prefersGzip(header)).toBe(true));

  it.each([
    undefined,
    '',
    'identity',
    'br, deflate',
    'gzip;q=0',
    'gzip;q=0.000, *',
    '*;q=0',
    'identity, gzip;q=0.5',
    'gzip;q=2',
    'gzip;q=x',
    'gzipped',
  ])('does not prefer gzip for %s', (header) => expect(prefersGzip(header)).toBe(false));
});
