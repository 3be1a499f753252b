import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { RequestOrigin } from './base-url.js';

export const Origin = createParamDecorator((_data: unknown, context: ExecutionContext): RequestOrigin => {
  const { protocol, host } = context.switchToHttp().getRequest<FastifyRequest>();
  return { protocol, host };
});

export const IdempotencyKey = createParamDecorator(
  (_data: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<FastifyRequest>().headers['idempotency-key'],
);
