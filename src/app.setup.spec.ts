import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createAdapter } from './app.setup.js';
import { badRequest } from './platform/http/errors/api-error.js';
import { ErrorFilter } from './platform/http/errors/error.filter.js';
import { RequestId } from './platform/http/requests/request-id.js';

@Controller('things')
class ThingsController {
  @Get('id')
  id(@RequestId() requestId: string): { requestId: string } {
    return { requestId };
  }

  @Get('refused')
  refused(): never {
    throw badRequest('no');
  }

  @Get('broken')
  broken(): never {
    throw new Error('unforeseen');
  }
}

@Module({ controllers: [ThingsController] })
class ThingsModule {}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe(createAdapter.name, () => {
  let app: NestFastifyApplication;

  beforeAll(async () => {
    app = await NestFactory.create<NestFastifyApplication>(ThingsModule, createAdapter(), { logger: false });
    app.useGlobalFilters(new ErrorFilter());
    await app.init();
  });

  afterAll(() => app.close());

  const get = (url: string, headers: Record<string, string> = {}) =>
    app.inject({ method: 'GET', url, headers });

  it.each([
    ['a success', '/things/id', 200],
    ['a refusal', '/things/refused', 400],
    ['a route that does not exist', '/nothing', 404],
    ['an unforeseen error', '/things/broken', 500],
    ['a URL that cannot be read', '/%zz', 400],
    ['a parameter that is too long', `/things/${'x'.repeat(600)}`, 404],
  ])('names the request in the header of %s', async (_name, url, status) => {
    const own = await get(url);
    expect([own.statusCode, own.headers['x-request-id']]).toEqual([status, expect.stringMatching(UUID)]);
    const given = await get(url, { 'x-request-id': 'caller-7' });
    expect([given.statusCode, given.headers['x-request-id']]).toEqual([status, 'caller-7']);
  });

  it('gives each request another id, and none that could break a log', async () => {
    const answers = await Promise.all(
      ['', ' ', 'a"b', 'x'.repeat(129)].map((id) => get('/things/id', { 'x-request-id': id })),
    );
    const ids = answers.map(({ headers }) => headers['x-request-id']);
    expect(ids).toEqual(ids.map(() => expect.stringMatching(UUID)));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('passes the same id to the handler, and in the text of a 500', async () => {
    const headers = { 'x-request-id': 'caller-8' };
    expect((await get('/things/id', headers)).json()).toEqual({ requestId: 'caller-8' });
    expect((await get('/things/broken', headers)).json()).toEqual({
      message: 'unexpected error; the log has its cause under request id caller-8',
      statusCode: 500,
      error: 'Internal Server Error',
    });
  });
});
