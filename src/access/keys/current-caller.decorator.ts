import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from './caller.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The sender of the request; undefined for paths that need no key. */
    caller: Caller | undefined;
    /** Cost units that it has used up. */
    units: number;
  }
}

/** Parameter of a controller's method. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller | undefined =>
    context.switchToHttp().getRequest<FastifyRequest>().caller,
);
