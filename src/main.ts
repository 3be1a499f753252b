import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { pathToFileURL } from 'node:url';
import { AppModule } from './app.module.js';
import { createAdapter, setUpApp } from './app.setup.js';
import { Config } from './config/config.module.js';
import { nestLogger } from './logger.js';

export interface RunningApi {
  url: string;
  close(): Promise<void>;
}

/** Starts the API with the configuration in the environment. */
export async function startApi(): Promise<RunningApi> {
  const app = await NestFactory.create<NestFastifyApplication>(AppModule, createAdapter(), {
    logger: nestLogger,
    abortOnError: false,
  });
  setUpApp(app);
  const { HOST, PORT } = app.get(Config).env;
  await app.listen(PORT, HOST);
  return { url: await app.getUrl(), close: () => app.close() };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const api = await startApi();
  nestLogger.log(`listening at ${api.url}`, 'Api');
  process.send?.({ url: api.url });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void api.close().then(() => process.exit(0)));
  }
}
