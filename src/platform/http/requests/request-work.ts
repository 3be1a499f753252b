import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Work } from '../../logging/log-context.js';
import { type RequestSpan, tracing } from '../../tracing/tracing.js';
import { onCallerLeaves } from './caller-leaves.js';
import { routePathOf } from './route-path.js';

/** A request, as far as its lines in the log and its trace are concerned. */
interface Followed {
  readonly work: Work;
  readonly span: RequestSpan | undefined;
}

/**
 * Lets all that is logged while a request is served name its id, and begins its trace, if there are traces. Before everything else
 * that hears of requests.
 */
export function followRequests(server: FastifyInstance): void {
  const followed = new WeakMap<FastifyRequest, Followed>();
  server.addHook('onRequest', (request, _reply, done) => {
    const begun = begin(request);
    followed.set(request, begun);
    runIn(begun, done);
  });
  // The parser of the body belongs to the connection, not to the request.
  server.addHook('preValidation', (request, _reply, done) => {
    const begun = request.body === undefined ? undefined : followed.get(request);
    if (begun === undefined) done();
    else runIn(begun, done);
  });
  const end = (request: FastifyRequest, status: number | undefined): void => {
    const begun = followed.get(request);
    if (begun === undefined) return;
    followed.delete(request);
    begun.work.isOver = true;
    begun.span?.end(routePathOf(request), status);
  };
  server.addHook('onResponse', (request, { statusCode }, done) => {
    end(request, statusCode);
    done();
  });
  onCallerLeaves(server, (request) => end(request, undefined));
}

function begin({ id: requestId, method, headers, routeOptions }: FastifyRequest): Followed {
  const work = new Work({ requestId });
  // Probes come every few seconds and mean nothing.
  const isProbe = routeOptions.url?.endsWith('-check') === true;
  const attributes = { 'http.request.method': method, requestId };
  return { work, span: isProbe ? undefined : tracing()?.beginRequest(headers, attributes) };
}

function runIn({ work, span }: Followed, call: () => void): void {
  if (span === undefined) work.run(call);
  else span.run(() => work.run(call));
}
