import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createAdapter, setUpApp } from '../../../src/app.setup.js';
import { nestLogger } from '../../../src/platform/logging/logger.js';

/** Serves a part of the API in a process of its own, on any port, and sends the parent its port. */
export async function serveModule(module: object): Promise<void> {
  const app = await NestFactory.create<NestFastifyApplication>(module, createAdapter(), {
    logger: nestLogger,
    abortOnError: false,
  });
  await setUpApp(app);
  await app.listen(0, '127.0.0.1');
  process.send?.({ url: await app.getUrl() });
  process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));
}
