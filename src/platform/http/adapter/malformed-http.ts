import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { errorBody } from '../errors/api-error.js';
import { REQUEST_ID_HEADER, requestIdOf } from '../requests/request-id.js';

/** Node's own bound on the first line and the headers together. */
const MAX_HEADER_KILOBYTES = 16;

const JSON_TYPE = 'application/json; charset=utf-8';

/** Answers malformed HTTP with the one error body, too. `requestTimeoutMs`: what the server is configured with. */
export function answerMalformedHttp(requestTimeoutMs: number) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const body = JSON.stringify(errorBody(400, describe(error.code, requestTimeoutMs)));
    socket.end(
      `HTTP/1.1 400 Bad Request\r\nContent-Type: ${JSON_TYPE}\r\n` +
        `${REQUEST_ID_HEADER}: ${randomUUID()}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  };
}

function describe(code: string | undefined, requestTimeoutMs: number): string {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return `URL and headers must not be longer than ${MAX_HEADER_KILOBYTES} KB together`;
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return `the request did not arrive within ${requestTimeoutMs / 1000} s`;
    case 'HPE_INVALID_METHOD':
      return 'malformed HTTP request: unknown method';
    default:
      return 'malformed HTTP request';
  }
}

/** Expectations other than `100-continue`, which Node by itself answers with an empty 417. */
export function refuseExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => {
    const body = JSON.stringify(errorBody(400, 'expect: only 100-continue is supported'));
    response.writeHead(400, { 'content-type': JSON_TYPE, [REQUEST_ID_HEADER]: requestIdOf(request) });
    response.end(body);
  });
}
