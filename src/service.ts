import 'reflect-metadata';
import { type DynamicModule, type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { AGGREGATE_SIGNATURES_QUEUE } from '../workflows/contracts/aggregate-signatures.js';
import type { TaskQueue } from '../workflows/contracts/task-queues.js';
import { AppModule } from './app.module.js';
import { createAdapter, setUpApp } from './app.setup.js';
import { Config } from './platform/config/config.module.js';
import { type Env, parseEnv } from './platform/config/env.schema.js';
import { Lifecycle, SHUTDOWN_TIMEOUT_MS } from './resources/health/lifecycle.js';
import {
  GO_MAX_BODY_BYTES,
  GoAggregator,
} from './resources/signature-aggregator/go-dialect/go-aggregator.js';
import { MonitoringModule } from './resources/health/monitoring.module.js';
import { nestLogger } from './platform/logging/logger.js';
import type { RunningWorkers } from './platform/temporal/run-together.js';
import { ServedQueuesModule } from './platform/temporal/served-queues.module.js';
import { tracing, useTracing } from './platform/tracing/tracing.js';
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
        MonitoringModule,
        ...(api ? [AppModule] : []),
        ...(workers === undefined ? [] : [workers.WorkerModule]),
      ],
    };
  }
}

/**
 * V8 lets a heap grow to several times its live objects before it collects, and the memory of a flood's garbage stays taken. With
 * 20 %, a minute of made-up messages takes less than 180 MB more instead of 510, and an honest caller waits no longer. Not where no
 * stranger's messages come: it costs an export a fourth more of the processor.
 */
const HEAP_GROWTH = '--heap-growing-percent=20';

/** Longer than an orderly end takes. */
const FAILED_END_MS = 60_000;

/** How soon a connection is closed over which nothing is under way any more. */
const IDLE_CHECK_MS = 250;

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
  if (parts.api || parts.queues.includes(AGGREGATE_SIGNATURES_QUEUE)) setFlagsFromString(HEAP_GROWTH);
  const { OTEL_EXPORTER_OTLP_ENDPOINT: collector, TRUSTED_PROXIES: trustedProxies } = parseEnv(process.env);
  if (collector !== undefined) {
    const { startOpenTelemetry } = await import('./platform/tracing/opentelemetry.js');
    useTracing(startOpenTelemetry());
  }
  // Only where there are any: they bring the native part of Temporal's SDK.
  const workers = parts.queues.length > 0 ? await import('./workers.js') : undefined;
  await workers?.installTemporalRuntime();
  const options = { logger: nestLogger, abortOnError: false };
  const module = ServiceModule.of(parts, workers);
  if (!parts.api) {
    const context = await NestFactory.createApplicationContext(module, options);
    return run(context, undefined, workers);
  }
  const adapter = createAdapter({ trustedProxies });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, options);
  await setUpApp(app);
  const servers = [app.getHttpAdapter().getInstance(), ...goAggregatorOf(app, trustedProxies)];
  for (const server of servers) announceEnd(server, app.get(Lifecycle));
  return run(app, { app, servers }, workers);
}

/** The HTTP servers of an API process: its own, and that of the Go aggregator's dialect if it has one. */
interface Api {
  readonly app: NestFastifyApplication;
  readonly servers: readonly FastifyInstance[];
}

/** Beside the API, for its paths and errors are not ours. */
function goAggregatorOf(app: NestFastifyApplication, trustedProxies: readonly string[]): FastifyInstance[] {
  if (app.get(Config).env.GO_AGGREGATOR_PORT === undefined) return [];
  const server = createAdapter({ trustedProxies, maxBodyBytes: GO_MAX_BODY_BYTES }).getInstance();
  app.get(GoAggregator).serve(server);
  return [server];
}

async function run(
  context: INestApplicationContext,
  api: Api | undefined,
  workers: typeof Workers | undefined,
): Promise<RunningService> {
  const starts = [listen(api), start(workers, context)] as const;
  try {
    const [url, running] = await Promise.all(starts);
    context.get(Lifecycle).stage = 'serving';
    return { url, failed: failureOf(running), close: () => close(context, api, running) };
  } catch (error) {
    const [, started] = await Promise.allSettled(starts);
    await close(context, api, started.status === 'fulfilled' ? started.value : undefined);
    throw error;
  }
}

async function listen(api: Api | undefined): Promise<string> {
  if (api === undefined) return '';
  const { app, servers } = api;
  const { HOST: host, PORT, GO_AGGREGATOR_PORT: port } = app.get(Config).env;
  await app.listen(PORT, host);
  const [, dialect] = servers;
  if (dialect !== undefined && port !== undefined) {
    nestLogger.log(`the Go aggregator's dialect at ${await dialect.listen({ port, host })}`, 'Api');
  }
  return app.getUrl();
}

async function start(
  workers: typeof Workers | undefined,
  context: INestApplicationContext,
): Promise<RunningWorkers | undefined> {
  return workers?.startWorkers(context);
}

function failureOf(workers: RunningWorkers | undefined): Promise<never> {
  const failed = new Promise<never>((_, reject) => {
    workers?.completed.catch(reject);
  });
  failed.catch(() => undefined);
  return failed;
}

/** An answer of a process that is about to end makes the caller connect anew, which leads him to another one. */
function announceEnd(server: FastifyInstance, lifecycle: Lifecycle): void {
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (lifecycle.stage === 'ending') void reply.header('connection', 'close');
    done(null, payload);
  });
}

/**
 * For a process that does nothing else: it ends with a signal, or when a worker has failed for good. Why it cannot start is logged like all
 * else.
 */
export async function serve(
  partsOf: (env: Env) => ServiceParts,
  onStarted: (service: RunningService) => void,
): Promise<never> {
  try {
    const service = await startService(partsOf(parseEnv(process.env)));
    onStarted(service);
    return await serveUntilStopped(service);
  } catch (error) {
    nestLogger.fatal?.(error, 'Service');
    process.exit(1);
  }
}

async function serveUntilStopped(service: RunningService): Promise<never> {
  const end = new Promise<number>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        nestLogger.log(`${signal}: ending`, 'Service');
        resolve(0);
      });
    }
    service.failed.catch((error: unknown) => {
      nestLogger.error(error, 'Worker');
      resolve(1);
    });
  });
  const code = await end;
  // Nobody else ends a process that has failed by itself, and what still works in it may not stop.
  if (code !== 0) setTimeout(() => process.exit(code), FAILED_END_MS).unref();
  try {
    await service.close();
    process.exit(code);
  } catch (error) {
    nestLogger.error(error, 'Service');
    process.exit(1);
  }
}

/** No new requests, then no new work, and only then what both stand on. */
async function close(
  context: INestApplicationContext,
  api: Api | undefined,
  workers: RunningWorkers | undefined,
): Promise<void> {
  const lifecycle = context.get(Lifecycle);
  const hasServed = lifecycle.stage === 'serving';
  lifecycle.stage = 'ending';
  if (api !== undefined) await drain(api, hasServed);
  await workers?.close();
  await context.close();
  await tracing()?.stop();
}

/** Takes nothing new once load balancers know, and answers what is under way as far as there is time. */
async function drain({ app, servers }: Api, hasServed: boolean): Promise<void> {
  const { SHUTDOWN_DELAY_MS: delayMs } = app.get(Config).env;
  if (hasServed) await delay(delayMs);
  await Promise.all(servers.map(({ server }) => closeInTime(server, SHUTDOWN_TIMEOUT_MS)));
  for (const server of servers) await server.close();
}

/** Resolves when the last connection is gone; idle ones go at once. */
function closeInTime(server: Server, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cutOff = setTimeout(() => {
      nestLogger.warn(`requests that were not answered within ${timeoutMs} ms are cut off`, 'Service');
      server.closeAllConnections();
    }, timeoutMs);
    // Downloads that had begun before do not make their callers connect anew.
    const sweep = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
    server.close(() => {
      clearTimeout(cutOff);
      clearInterval(sweep);
      resolve();
    });
  });
}
