import { VersioningType } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { errorBody } from './http/api-error.js';
import { ErrorFilter } from './http/filters/error.filter.js';

/** Hex doubles a message; the longest allowed body is well below this. */
const MAX_BODY_BYTES = 256 * 1024;
/** A signature aggregation answers within a minute; a request that takes longer to arrive is not one of ours. */
const REQUEST_TIMEOUT_MS = 30_000;

export function createAdapter(): FastifyAdapter {
  return new FastifyAdapter({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: true,
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: 512 },
    // Errors that Fastify meets before any route: bad escapes in the URL and the like.
    frameworkErrors: (error: Error, _request: FastifyRequest, reply: FastifyReply) => {
      void reply.status(400).type('application/json; charset=utf-8').send(errorBody(400, error.message));
    },
    clientErrorHandler: answerMalformedHttp,
  });
}

/** Bytes that are not HTTP get the one error body, too. */
function answerMalformedHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(errorBody(400, 'malformed HTTP request'));
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** What the API process and the HTTP tests share: versioning, the error body, the OpenAPI page at /docs. */
export function setUpApp(app: NestFastifyApplication): void {
  app.enableVersioning({ type: VersioningType.URI });
  app.useGlobalFilters(new ErrorFilter());
  const openApi = new DocumentBuilder()
    .setTitle('Network Data Service')
    .setDescription('Avalanche network data and signature aggregation')
    .setVersion('1')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'x-data-api-key' }, 'apiKey')
    .build();
  SwaggerModule.setup('docs', app, () => SwaggerModule.createDocument(app, openApi), {
    customSiteTitle: 'Network Data Service',
  });
}
