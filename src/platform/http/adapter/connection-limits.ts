import { Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';

/** Of one process. Each may hold an answer that waits to be read. */
export const MAX_CONNECTIONS = 4_096;
/**
 * After so long without a byte either way, a connection is not needed any more: one whose caller does not take his answer, above all.
 * Longer than a request may take to arrive, so that whoever is too slow is told.
 */
export const STALL_TIMEOUT_MS = 60_000;

/** How often it is logged that callers are turned away. */
const WARN_EVERY_MS = 60_000;

/** Lets Node's timeout of connections pass over those where the caller waits for us: nothing of an answer waits for him. */
export function endUnreadAnswersOnly(server: FastifyInstance): void {
  server.addHook('onRequest', (_request, { raw }, done) => {
    // With a listener Node leaves it to him whether the connection ends. Every write starts the time anew.
    raw.on('timeout', () => {
      if (raw.writableLength > 0) raw.destroy();
    });
    done();
  });
}

/** Closes connections beyond so many as soon as they are made. */
export function limitConnections({ server }: FastifyInstance, maxConnections: number): void {
  const logger = new Logger('Connections');
  let warnedAtMs = -Infinity;
  server.maxConnections = maxConnections;
  server.on('drop', () => {
    if (performance.now() - warnedAtMs < WARN_EVERY_MS) return;
    warnedAtMs = performance.now();
    logger.warn(`connections are refused: ${maxConnections} are open`);
  });
}
