import { describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Config } from '../../platform/config/config.module.js';
import { parseEnv } from '../../platform/config/env.schema.js';
import { PublicUrlNotice } from './public-url-notice.js';

describe(PublicUrlNotice.name, () => {
  it.each([
    [{ HOST: '0.0.0.0' }, 1],
    [{ HOST: '::' }, 1],
    [{ HOST: 'data.example' }, 1],
    [{ HOST: '0.0.0.0', PUBLIC_URL: 'https://data.example' }, 0],
    [{ HOST: '127.0.0.1' }, 0],
    [{ HOST: '::1' }, 0],
    [{ HOST: 'localhost' }, 0],
    [{}, 0],
  ])('given %j, warns %i times', (env, times) => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const config = new Config(parseEnv({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', ...env }));
    new PublicUrlNotice(config).onApplicationBootstrap();
    expect(warn.mock.calls.map(([text]) => String(text))).toEqual(
      Array.from({ length: times }, () => expect.stringContaining('PUBLIC_URL is not set')),
    );
    warn.mockRestore();
  });
});
