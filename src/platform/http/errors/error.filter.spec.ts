import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, Param, Query } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createAdapter } from '../../../app.setup.js';
import { ApiError } from './api-error.js';
import { ErrorFilter } from './error.filter.js';

@Controller('failures')
class FailuresController {
  @Get('codes/:code')
  code(@Param('code') code: string): never {
    throw Object.assign(new Error('the driver says why'), { code });
  }

  @Get('busy')
  busy(@Query('until') until?: string): never {
    throw new ApiError(429, 'too many', until === undefined ? {} : { retryAfterSeconds: Number(until) });
  }

  @Get('messages/:message')
  message(@Param('message') message: string): never {
    throw new Error(message);
  }
}

@Module({ controllers: [FailuresController] })
class FailuresModule {}

describe(ErrorFilter.name, () => {
  let app: NestFastifyApplication;

  beforeAll(async () => {
    app = await NestFactory.create<NestFastifyApplication>(FailuresModule, createAdapter(), {
      logger: false,
    });
    app.useGlobalFilters(new ErrorFilter());
    await app.init();
  });

  afterAll(() => app.close());

  it.each([
    ['a connection that broke', 'codes/08006'],
    ['a server that stops', 'codes/57P01'],
    ['a statement that took too long', 'codes/57014'],
    ['a deadlock', 'codes/40P01'],
    ['a lock that was not to be had', 'codes/55P03'],
    ['a server that says nothing', 'messages/Query read timeout'],
  ])('has callers come back after %s', async (_, path) => {
    const { statusCode, headers } = await app.inject(`/failures/${encodeURI(path)}`);
    expect([statusCode, headers['retry-after']]).toEqual([503, '5']);
  });

  it.each([
    ['busy?until=7', '7'],
    ['busy', '60'],
  ])('reports when what is held by others may be free: %s', async (path, seconds) => {
    const { statusCode, headers } = await app.inject(`/failures/${path}`);
    expect([statusCode, headers['retry-after']]).toEqual([429, seconds]);
  });

  it.each(['codes/42601', 'codes/40001', 'codes/55000', 'messages/anything'])(
    'does not take a fault of ours for an outage: %s',
    async (path) => {
      expect((await app.inject(`/failures/${path}`)).statusCode).toBe(500);
    },
  );
});
