import { VersioningType } from '@nestjs/common';
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import compress from '@fastify/compress';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { API_KEY_HEADER } from './platform/http/schemas/api-key-header.js';
import { badRequest, errorBody } from './platform/http/errors/api-error.js';
import { isSentAsItIs } from './platform/http/adapter/as-it-is.decorator.js';
import { noteMethods } from './platform/http/adapter/allowed-methods.js';
import {
  endUnreadAnswersOnly,
  limitConnections,
  MAX_CONNECTIONS,
  MAX_CONNECTIONS_PER_ADDRESS,
  STALL_TIMEOUT_MS,
} from './platform/http/adapter/connection-limits.js';
import { answerUnchanged } from './platform/http/adapter/etag.js';
import { Config } from './platform/config/config.module.js';
import { ErrorFilter } from './platform/http/errors/error.filter.js';
import { JsonAdapter } from './platform/http/adapter/json-adapter.js';
import { answerMalformedHttp, refuseExpectations } from './platform/http/adapter/malformed-http.js';
import { discardRefusedBodies } from './platform/http/adapter/refused-bodies.js';
import { completeDocument } from './platform/http/openapi/document.js';
import { INTRODUCTION, TAGS } from './platform/http/openapi/introduction.js';
import { REQUEST_ID_HEADER, requestIdOf } from './platform/http/requests/request-id.js';
import { followRequests } from './platform/http/requests/request-work.js';
import { describeFreshness } from './indexes/overview/list-freshness.js';
import { describeExportLimits } from './resources/operations/export/export-limits.openapi.js';
import { exportRequestLimits, type RequestLimits } from './resources/operations/export/export-request.js';
import { unitsOf } from './access/limits/units.js';

const TITLE = 'Network Data Service';

/** Hex doubles a message; the longest allowed body is well below this. */
const MAX_BODY_BYTES = 256 * 1024;
/** A signature aggregation answers within a minute; a request that takes longer to arrive is not one of ours. */
const REQUEST_TIMEOUT_MS = 30_000;
/** How often Node looks for such requests, as a share of that time. */
const TIMEOUT_CHECKS = 10;
/** Of a part of a path. */
const MAX_PARAM_LENGTH = 512;

/** By code, of what Fastify meets before any route and hook; its own texts repeat the URL. */
const FRAMEWORK_ERRORS: ReadonlyMap<string, string> = new Map([
  ['FST_ERR_BAD_URL', 'the path of the URL is malformed'],
  ['FST_ERR_MAX_PARAM_LENGTH', `path: a part of it is longer than ${MAX_PARAM_LENGTH} characters`],
]);

/** Smaller answers do not gain by it. */
const MIN_COMPRESSED_BYTES = 1024;
/** How long browsers may remember that others' pages may ask. */
const CORS_MAX_AGE_SECONDS = 7_200;

export function createAdapter({
  trustedProxies = [],
  maxBodyBytes = MAX_BODY_BYTES,
  requestTimeoutMs = REQUEST_TIMEOUT_MS,
  stallTimeoutMs = STALL_TIMEOUT_MS,
  maxConnections = MAX_CONNECTIONS,
  maxConnectionsPerAddress = MAX_CONNECTIONS_PER_ADDRESS,
  neighbours = ['loopback'],
}: {
  trustedProxies?: readonly string[];
  maxBodyBytes?: number;
  requestTimeoutMs?: number;
  stallTimeoutMs?: number;
  maxConnections?: number;
  maxConnectionsPerAddress?: number;
  /** Who may have more connections than that, besides the proxies. */
  neighbours?: readonly string[];
} = {}): FastifyAdapter {
  const adapter = new JsonAdapter({
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: stallTimeoutMs,
    forceCloseConnections: true,
    genReqId: requestIdOf,
    http: {
      requireHostHeader: false,
      // Node swaps the two limits when that of the headers, a minute by default, is the longer one.
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: requestTimeoutMs / TIMEOUT_CHECKS,
    },
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, ignoreTrailingSlash: true },
    // RFC 3986 leaves it to the client whether the colon of `transactions:export` is encoded.
    rewriteUrl: ({ url = '/' }) => url.replace(/^[^?]*/, (path) => path.replaceAll(/%3a/gi, ':')),
    frameworkErrors: (
      { code = '', message }: Error & { code?: string },
      request: FastifyRequest,
      reply: FastifyReply,
    ) => {
      void reply
        .status(400)
        .header(REQUEST_ID_HEADER, request.id)
        .type('application/json; charset=utf-8')
        .send(errorBody(400, FRAMEWORK_ERRORS.get(code) ?? message));
    },
    clientErrorHandler: answerMalformedHttp(requestTimeoutMs),
  });
  const server = adapter.getInstance();
  refuseExpectations(server.server);
  limitConnections(server, {
    maxConnections,
    maxConnectionsPerAddress,
    trustedProxies: [...neighbours, ...trustedProxies],
  });
  endUnreadAnswersOnly(server);
  discardRefusedBodies(server);
  followRequests(server);
  const introduce = (request: FastifyRequest, reply: FastifyReply): void => {
    void reply.header(REQUEST_ID_HEADER, request.id).header('x-content-type-options', 'nosniff');
  };
  // Preflights are answered before this hook of requests, files without that of answers.
  server.addHook('onSend', (request, reply, payload, done) => {
    introduce(request, reply);
    done(null, payload);
  });
  server.addHook('onRequest', (request, reply, done) => {
    introduce(request, reply);
    const encoding = request.headers['content-encoding'];
    const isReadable = encoding === undefined || encoding === 'identity';
    done(
      isReadable ? undefined : badRequest('content-encoding: must be left out; bodies are read as they are'),
    );
  });
  return adapter;
}

/** Headers of all answers: browsers may read them, and repeated requests get a 304 while nothing has changed. */
export async function registerHttpHooks(app: NestFastifyApplication): Promise<void> {
  app.useGlobalFilters(new ErrorFilter());
  app.enableCors({
    origin: '*',
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    allowedHeaders: '*',
    exposedHeaders: '*',
    maxAge: CORS_MAX_AGE_SECONDS,
    // An OPTIONS that is no preflight asks the same.
    strictPreflight: false,
  });
  const server = app.getHttpAdapter().getInstance();
  noteMethods(server);
  server.addHook('onSend', answerUnchanged);
  server.addHook('onRoute', (route) => {
    if (isSentAsItIs(route.config)) route.compress = false;
  });
  await app.register(compress, { threshold: MIN_COMPRESSED_BYTES, encodings: ['gzip'] });
}

/** The page brings its own styles in line; nothing else comes from anywhere but this service. */
const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Set-up shared by the API process and the HTTP tests: versioning, the error body, the OpenAPI page at /docs. */
export async function setUpApp(app: NestFastifyApplication): Promise<void> {
  app.enableVersioning({ type: VersioningType.URI });
  await registerHttpHooks(app);
  // The document lists the configured networks.
  const exportLimits = exportRequestLimits(app.get(Config).env);
  const server = app.getHttpAdapter().getInstance();
  server.addHook('onRequest', (request, reply, done) => {
    if (/^\/docs(?:[/?]|$)/.test(request.url)) reply.header('content-security-policy', DOCS_POLICY);
    done();
  });
  SwaggerModule.setup('docs', app, () => describeApp(app, { exportLimits }), {
    customSiteTitle: TITLE,
    jsonDocumentUrl: 'openapi.json',
  });
}

/** The OpenAPI document of all that the app serves. */
export function describeApp(
  app: NestFastifyApplication,
  { exportLimits }: { exportLimits: RequestLimits },
): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle(TITLE)
    .setDescription(INTRODUCTION)
    .setVersion('1')
    .addServer('/', 'The service that serves this document')
    .addApiKey({ type: 'apiKey', in: 'header', name: API_KEY_HEADER }, 'apiKey');
  for (const [name, description] of Object.entries(TAGS)) builder.addTag(name, description);
  const document = SwaggerModule.createDocument(app, builder.build());
  const complete = completeDocument(document, unitsOf);
  return describeExportLimits(describeFreshness(complete), exportLimits);
}
