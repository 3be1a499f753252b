import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, type LoggerService, Module, Param, Post, Query, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import { createAdapter, registerHttpHooks } from '../../src/app.setup.js';
import { Config } from '../../src/platform/config/config.module.js';
import { parseEnv } from '../../src/platform/config/env.schema.js';
import { takeOver } from '../../src/platform/http/adapter/take-over.js';
import { AccessLog } from '../../src/platform/http/requests/access-log.js';
import { FinishedRequests } from '../../src/platform/http/requests/finished-requests.js';
import { FinishedRequestsModule } from '../../src/platform/http/requests/finished-requests.module.js';
import { eventually } from '../support/harness/eventually.js';

const arrivals = new EventEmitter();
const TEXT = 'x'.repeat(5_000);

@Controller('things')
class ThingsController {
  @Get('slow')
  async slow(): Promise<string> {
    arrivals.emit('slow');
    await new Promise(() => undefined);
    return '';
  }

  @Post('slow')
  slowToo(@Body() _: object): Promise<string> {
    return this.slow();
  }

  @Get('streamed')
  stream(@Res() reply: FastifyReply): void {
    const raw = takeOver(reply, { status: 200, headers: {} });
    raw.write(TEXT);
    arrivals.once('read', () => raw.end());
  }

  @Get(':id')
  get(@Param('id') id: string, @Query() query: object): string {
    return `${id}${JSON.stringify(query)}${TEXT}`;
  }
}

async function start(env: Record<string, string>, logger: LoggerService): Promise<NestFastifyApplication> {
  const config = new Config(parseEnv({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', ...env }));
  @Module({
    imports: [FinishedRequestsModule],
    controllers: [ThingsController],
    providers: [AccessLog, { provide: Config, useValue: config }],
  })
  class ThingsModule {}
  const app = await NestFactory.create<NestFastifyApplication>(ThingsModule, createAdapter(), { logger });
  await registerHttpHooks(app);
  await app.listen(0, '127.0.0.1');
  return app;
}

describe(AccessLog.name, () => {
  let app: NestFastifyApplication;
  let url: string;
  const lines: unknown[] = [];
  const ignore = (): void => undefined;
  const logger: LoggerService = {
    log: (line: unknown, ...rest: unknown[]) => void (rest.includes(AccessLog.name) && lines.push(line)),
    warn: ignore,
    error: ignore,
    debug: ignore,
  };

  beforeAll(async () => {
    app = await start({}, logger);
    url = await app.getUrl();
  });

  afterAll(() => app.close());
  afterEach(() => {
    lines.length = 0;
  });

  const nextLines = async (count: number): Promise<unknown[]> => {
    await eventually(`${count} lines`, () => lines.length >= count);
    return lines;
  };

  it('has one line per request: its id, method, route, status, duration and bytes', async () => {
    await (await fetch(`${url}/things/7`, { headers: { 'x-request-id': 'mine' } })).text();
    const [line] = await nextLines(1);
    expect(line).toEqual({
      requestId: 'mine',
      method: 'GET',
      route: '/things/{id}',
      status: 200,
      durationMs: expect.any(Number),
      bytes: expect.any(Number),
    });
  });

  it('counts bytes as they were sent, compressed ones too', async () => {
    const sent = async (headers: Record<string, string>): Promise<number> => {
      lines.length = 0;
      await (await fetch(`${url}/things/7`, { headers })).text();
      const [line] = await nextLines(1);
      return Number(Reflect.get(Object(line), 'bytes'));
    };
    const plain = await sent({ 'accept-encoding': 'identity' });
    expect(plain).toBeGreaterThan(TEXT.length);
    expect(plain).toBeLessThan(TEXT.length + 2_000);
    expect(await sent({ 'accept-encoding': 'gzip' })).toBeLessThan(2_000);
  });

  it('counts a stream until it begins: how long it lasts is up to its caller', async () => {
    const askedAt = performance.now();
    const answer = await fetch(`${url}/things/streamed`);
    const tookMs = performance.now() - askedAt;
    await eventually('it has lasted longer than that', () => performance.now() > askedAt + 2 * tookMs);
    arrivals.emit('read');
    expect(await answer.text()).toBe(TEXT);
    const [line] = await nextLines(1);
    expect(line).toMatchObject({ route: '/things/streamed', status: 200 });
    expect(Reflect.get(Object(line), 'durationMs')).toBeLessThanOrEqual(Math.ceil(tookMs));
    expect(Reflect.get(Object(line), 'bytes')).toBeGreaterThan(TEXT.length);
  });

  it('repeats nothing that may be a secret', async () => {
    const secrets = { 'x-data-api-key': 'hush-key', authorization: 'Bearer hush-token', cookie: 'a=hush' };
    for (const path of ['/things/hush-id?signature=hush&pageToken=hush', '/hush/nowhere?key=hush']) {
      await (await fetch(`${url}${path}`, { headers: secrets })).text();
    }
    const logged = await nextLines(2);
    expect(JSON.stringify(logged)).not.toContain('hush');
    expect(logged).toMatchObject([
      { route: '/things/{id}', status: 200 },
      { route: 'unknown', status: 404 },
    ]);
  });

  it.each([
    ['GET', ''],
    ['POST', 'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'],
  ])('records who left early once, after a %s', async (method, rest) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const arrived = once(arrivals, 'slow');
    socket.write(`${method} /things/slow HTTP/1.1\r\nHost: here\r\n${rest === '' ? '\r\n' : rest}`);
    await arrived;
    socket.destroy();
    expect(await nextLines(1)).toMatchObject([{ method, route: '/things/slow', aborted: true }]);
    expect(app.get(FinishedRequests).inFlight).toBe(0);
  });

  it('is silent when it is switched off', async () => {
    const silent = await start({ ACCESS_LOG: 'false' }, logger);
    await (await fetch(`${await silent.getUrl()}/things/7`)).text();
    await silent.close();
    expect(lines).toEqual([]);
  });
});
