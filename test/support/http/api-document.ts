import 'reflect-metadata';
import { Module, VersioningType } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { AppModule } from '../../../src/app.module.js';
import { createAdapter, describeApp } from '../../../src/app.setup.js';
import { parseEnv } from '../../../src/platform/config/env.schema.js';
import { exportRequestLimits } from '../../../src/resources/operations/export/export-request.js';
import { ServedQueuesModule } from '../../../src/platform/temporal/served-queues.module.js';

@Module({ imports: [ServedQueuesModule.of([]), AppModule] })
class ApiModule {}

/** The OpenAPI document of the API as it is configured, of which nothing is started. */
export async function describeApi(configured: Readonly<Record<string, string>> = {}): Promise<OpenAPIObject> {
  const app = await NestFactory.create<NestFastifyApplication>(ApiModule, createAdapter(), {
    preview: true,
    logger: ['error'],
    abortOnError: false,
  });
  app.enableVersioning({ type: VersioningType.URI });
  const env = parseEnv({ DATABASE_URL: 'postgres://unused', ...configured });
  return describeApp(app, { exportLimits: exportRequestLimits(env) });
}
