import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AsyncResource } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { createAdapter } from '../../src/app.setup.js';
import { followRequests } from '../../src/platform/http/requests/request-work.js';
import { factsOfWork } from '../../src/platform/logging/log-context.js';
import { eventually } from '../support/harness/eventually.js';

/** Context of a request, for code that runs on its behalf. */
let factsAfterwards: () => object = () => ({});

@Controller('facts')
class FactsController {
  @Get()
  async get(): Promise<object> {
    factsAfterwards = AsyncResource.bind(factsOfWork);
    await delay(1);
    return factsOfWork();
  }

  @Post()
  async post(@Body() body: object): Promise<object> {
    await delay(1);
    return { ...factsOfWork(), body };
  }
}

@Module({ controllers: [FactsController] })
class FactsModule {}

describe(followRequests.name, () => {
  let app: NestFastifyApplication;
  let url: string;

  beforeAll(async () => {
    app = await NestFactory.create<NestFastifyApplication>(FactsModule, createAdapter(), { logger: false });
    await app.listen(0, '127.0.0.1');
    url = `${await app.getUrl()}/facts`;
  });

  afterAll(() => app.close());

  const ask = async (requestId: string, init: RequestInit = {}): Promise<unknown> => {
    const response = await fetch(url, {
      ...init,
      headers: { 'x-request-id': requestId, 'content-type': 'application/json' },
    });
    return response.json();
  };

  it('names requests that are served at the same time, with and without a body, each by its own id', async () => {
    const body = { text: 'x'.repeat(100_000) };
    const answers = await Promise.all([
      ask('one'),
      ask('two', { method: 'POST', body: JSON.stringify(body) }),
      ask('three'),
    ]);
    expect(answers).toEqual([{ requestId: 'one' }, { requestId: 'two', body }, { requestId: 'three' }]);
  });

  it('names nothing by a request that is over', async () => {
    expect(await ask('one')).toEqual({ requestId: 'one' });
    await eventually('it is over', () => Object.keys(factsAfterwards()).length === 0);
  });
});
