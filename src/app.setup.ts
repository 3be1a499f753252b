import { VersioningType } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { errorBody } from './http/api-error.js';
import { ErrorFilter } from './http/filters/error.filter.js';
import { withRequestIdHeader } from './http/request-id.openapi.js';
import { REQUEST_ID_HEADER, requestIdOf } from './http/request-id.js';

/** Hex doubles a message; the longest allowed body is well below this. */
const MAX_BODY_BYTES = 256 * 1024;
/** A signature aggregation answers within a minute; a request that takes longer to arrive is not one of ours. */
const REQUEST_TIMEOUT_MS = 30_000;

export function createAdapter(): FastifyAdapter {
  const adapter = new FastifyAdapter({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: true,
    genReqId: requestIdOf,
    routerOptions: { maxParamLength: 512 },
    // Errors that Fastify meets before any route and hook: bad escapes in the URL and the like.
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      void reply
        .status(400)
        .header(REQUEST_ID_HEADER, request.id)
        .type('application/json; charset=utf-8')
        .send(errorBody(400, error.message));
    },
    clientErrorHandler: answerMalformedHttp,
  });
  // Before everything that may answer, so that no answer is without it.
  adapter.getInstance().addHook('onRequest', (request, reply, done) => {
    void reply.header(REQUEST_ID_HEADER, request.id);
    done();
  });
  return adapter;
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
      `${REQUEST_ID_HEADER}: ${randomUUID()}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** What the API process and the HTTP tests share: versioning, the error body, the OpenAPI page at /docs. */
export function setUpApp(app: NestFastifyApplication): void {
  app.enableVersioning({ type: VersioningType.URI });
  app.useGlobalFilters(new ErrorFilter());
  const openApi = new DocumentBuilder()
    .setTitle('Network Data Service')
    .setDescription(
      'Avalanche network data and signature aggregation. Every answer carries `x-request-id`: that of the request when it is ' +
        'well-formed (1 to 128 letters, digits and `-_.:/=+@~`), a new UUID otherwise. It stands in the log and in the memo of a ' +
        'workflow that the request began.',
    )
    .setVersion('1')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'x-data-api-key' }, 'apiKey')
    .build();
  SwaggerModule.setup('docs', app, () => withRequestIdHeader(SwaggerModule.createDocument(app, openApi)), {
    customSiteTitle: 'Network Data Service',
  });
}
