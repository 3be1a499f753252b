import 'reflect-metadata';
import { type DynamicModule, type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { TaskQueue } from '../workflows/contracts/task-queues.js';
import { AppModule } from './app.module.js';
import { createAdapter, setUpApp } from './app.setup.js';
import { Config } from './config/config.module.js';
import { parseEnv } from './config/env.schema.js';
import { nestLogger } from './logger.js';
import { ServedQueuesModule } from './temporal/served-queues.js';
import type * as Workers from './workers.js';

/**
 * One process: the API, workers of some queues, or both. What the two share exists once then: the pool of connections to
 * Postgres, what is known of the networks, and the validators' signatures that a request has set going.
 */
@Module({})
class ServiceModule {
  static of({ api, queues }: ServiceParts, workers: typeof Workers | undefined): DynamicModule {
    return {
      module: ServiceModule,
      imports: [
        ServedQueuesModule.of(queues),
        ...(api ? [AppModule] : []),
        ...(workers === undefined ? [] : [workers.WorkerModule]),
      ],
    };
  }
}

export interface ServiceParts {
  api: boolean;
  /** Task queues that the process works on. */
  queues: readonly TaskQueue[];
}

export interface RunningService {
  /** Of the API; empty without one. */
  url: string;
  /** Rejects when a worker has failed for good: the process must end then. Never settles without workers. */
  failed: Promise<never>;
  close(): Promise<void>;
}

/** Starts parts of the service in this process, with the configuration in the environment. */
export async function startService(parts: ServiceParts): Promise<RunningService> {
  // Only where there are any: they bring the native part of Temporal's SDK.
  const workers = parts.queues.length > 0 ? await import('./workers.js') : undefined;
  workers?.installTemporalRuntime();
  const options = { logger: nestLogger, abortOnError: false };
  const module = ServiceModule.of(parts, workers);
  if (!parts.api) {
    const context = await NestFactory.createApplicationContext(module, options);
    return run(context, undefined, workers);
  }
  const { TRUSTED_PROXIES: trustedProxies } = parseEnv(process.env);
  const adapter = createAdapter({ trustedProxies });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, options);
  await setUpApp(app);
  return run(app, app, workers);
}

async function run(
  context: INestApplicationContext,
  app: NestFastifyApplication | undefined,
  workers: typeof Workers | undefined,
): Promise<RunningService> {
  const starts = [listen(app), start(workers, context)] as const;
  try {
    const [url, running] = await Promise.all(starts);
    return { url, failed: failureOf(running), close: () => close(context, app, running) };
  } catch (error) {
    const [, started] = await Promise.allSettled(starts);
    await close(context, app, started.status === 'fulfilled' ? started.value : undefined);
    throw error;
  }
}

async function listen(app: NestFastifyApplication | undefined): Promise<string> {
  if (app === undefined) return '';
  const { HOST, PORT } = app.get(Config).env;
  await app.listen(PORT, HOST);
  return app.getUrl();
}

async function start(
  workers: typeof Workers | undefined,
  context: INestApplicationContext,
): Promise<Workers.RunningWorkers | undefined> {
  return workers?.startWorkers(context);
}

function failureOf(workers: Workers.RunningWorkers | undefined): Promise<never> {
  const failed = new Promise<never>((_, reject) => {
    workers?.completed.catch(reject);
  });
  failed.catch(() => undefined);
  return failed;
}

/** For a process that does nothing else: it ends with a signal, or when a worker has failed for good. */
export async function serveUntilStopped(service: RunningService): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void service.close().then(() => process.exit(0)));
  }
  await service.failed.catch((error: unknown) => {
    nestLogger.error(error, 'Worker');
    process.exit(1);
  });
}

/** No new requests, then no new work, and only then what both stand on. */
async function close(
  context: INestApplicationContext,
  app: NestFastifyApplication | undefined,
  workers: Workers.RunningWorkers | undefined,
): Promise<void> {
  await app?.getHttpAdapter().getInstance().close();
  await workers?.close();
  await context.close();
}
