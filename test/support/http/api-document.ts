import 'reflect-metadata';
import { Module, VersioningType } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { AppModule } from '../../../src/app.module.js';
import { createAdapter, describeApp } from '../../../src/app.setup.js';
import { ServedQueuesModule } from '../../../src/temporal/served-queues.js';

@Module({ imports: [ServedQueuesModule.of([]), AppModule] })
class ApiModule {}

/** The OpenAPI document of the API, of which nothing is started. */
export async function describeApi(): Promise<OpenAPIObject> {
  const app = await NestFactory.create<NestFastifyApplication>(ApiModule, createAdapter(), {
    preview: true,
    logger: ['error'],
    abortOnError: false,
  });
  app.enableVersioning({ type: VersioningType.URI });
  return describeApp(app);
}
