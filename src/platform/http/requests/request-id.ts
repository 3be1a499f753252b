import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export const REQUEST_ID_HEADER = 'x-request-id';

/** Fit for logs, memos and headers as it is: no blanks, quotes or control characters. UUIDs, trace ids and the like pass. */
export const REQUEST_ID_PATTERN = /^[\w.:/=+@~-]{1,128}$/;

/** The caller's own id where it is well-formed, so that his log and ours name the request alike; a new one otherwise. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers[REQUEST_ID_HEADER];
  return typeof given === 'string' && REQUEST_ID_PATTERN.test(given) ? given : randomUUID();
}

/** Parameter of a controller's method: the id that the answer's header has. */
export const RequestId = createParamDecorator(
  (_: unknown, context: ExecutionContext): string => context.switchToHttp().getRequest<FastifyRequest>().id,
);
