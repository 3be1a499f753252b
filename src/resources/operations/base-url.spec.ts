import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../../platform/http/errors/api-error.js';
import { baseUrlOf } from './base-url.js';

describe(baseUrlOf.name, () => {
  it.each([
    ['127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['localhost', 'http://localhost'],
    ['data_service.internal:80', 'http://data_service.internal:80'],
    ['[::1]:3000', 'http://[::1]:3000'],
  ])('gives the URL under which the caller has reached %s', (host, url) => {
    expect(baseUrlOf({ protocol: 'http', host }, undefined)).toBe(url);
  });

  it.each([
    '',
    ' ',
    'a/b',
    'a?b',
    'a#b',
    'u@h',
    'u:p@h',
    'a b',
    '[::1',
    'h:',
    'h:x',
    'h:65536',
    'h\r\nx: y',
    'ä',
  ])('refuses the host %j', (host) => {
    expect(() => baseUrlOf({ protocol: 'http', host }, undefined)).toThrow(ApiError);
  });

  it('gives the configured URL, whatever the caller sends', () => {
    expect(baseUrlOf({ protocol: 'http', host: 'a/b' }, 'https://data.example/x')).toBe(
      'https://data.example/x',
    );
  });
});
