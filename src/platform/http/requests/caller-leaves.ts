import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Calls back, perhaps twice, when a caller leaves before he was answered. */
export function onCallerLeaves(server: FastifyInstance, call: (request: FastifyRequest) => void): void {
  // Fastify's hook does not hear of requests whose body has been read.
  server.addHook('onRequest', (request, { raw }, done) => {
    raw.once('close', () => {
      if (!raw.writableFinished) call(request);
    });
    done();
  });
  // The answer to a request that waits behind another one has no connection yet, whose end it could hear of.
  server.addHook('onRequestAbort', (request, done) => {
    call(request);
    done();
  });
}
