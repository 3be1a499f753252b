import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { beginningOf } from '../adapter/take-over.js';
import { onCallerLeaves } from './caller-leaves.js';

export interface FinishedRequest {
  readonly request: FastifyRequest;
  /** Undefined for a caller who left before his answer was complete. */
  readonly status: number | undefined;
  /** Of an answer that may be incomplete: undefined where none began. */
  readonly begunStatus: number | undefined;
  /** To the end of the answer; to its beginning where it is a file or a stream, which last as long as their caller likes. */
  readonly durationMs: number;
  /** With the headers, as they went over the wire. */
  readonly bytes: number;
}

/** When a request came, what its connection had sent before, and its answer. */
interface Start {
  readonly atMs: number;
  readonly bytesSent: number;
  readonly answer: ServerResponse;
}

/** Reports each finished request once, including those whose caller disconnects during the answer. */
@Injectable()
export class FinishedRequests {
  private readonly starts = new WeakMap<IncomingMessage, Start>();
  private readonly listeners: ((finished: FinishedRequest) => void)[] = [];
  /** Requests that are not over. */
  inFlight = 0;

  constructor(host: HttpAdapterHost) {
    // Before anything that refuses requests when its module is initialised: those are finished, too.
    this.follow(host.httpAdapter.getInstance());
  }

  forEach(listener: (finished: FinishedRequest) => void): void {
    this.listeners.push(listener);
  }

  /** Also called for servers beside that of the API. */
  follow(server: FastifyInstance): void {
    server.addHook('onRequest', ({ raw }, { raw: answer }, done) => {
      this.inFlight += 1;
      this.starts.set(raw, { atMs: performance.now(), bytesSent: raw.socket.bytesWritten, answer });
      done();
    });
    server.addHook('onResponse', (request, { statusCode }, done) => {
      this.notify(request, statusCode);
      done();
    });
    onCallerLeaves(server, (request) => this.notify(request, undefined));
  }

  private notify(request: FastifyRequest, status: number | undefined): void {
    const { raw } = request;
    const start = this.starts.get(raw);
    if (start === undefined) return;
    this.starts.delete(raw);
    this.inFlight -= 1;
    const durationMs = (beginningOf(start.answer) ?? performance.now()) - start.atMs;
    const bytes = raw.socket.bytesWritten - start.bytesSent;
    const begunStatus = start.answer.headersSent ? start.answer.statusCode : undefined;
    for (const listener of this.listeners) listener({ request, status, begunStatus, durationMs, bytes });
  }
}
