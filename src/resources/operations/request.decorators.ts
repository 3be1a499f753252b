import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { headerOf } from '../../platform/http/schemas/request.decorators.js';
import type { RequestOrigin } from './base-url.js';
import { IdempotencyKeySchema } from './dto/export-transactions.request.js';

const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key';

export const Origin = createParamDecorator((_data: unknown, context: ExecutionContext): RequestOrigin => {
  const { protocol, host } = context.switchToHttp().getRequest<FastifyRequest>();
  return { protocol, host };
});

const IdempotencyKeyOf = createParamDecorator(
  (_data: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<FastifyRequest>().headers[IDEMPOTENCY_KEY_HEADER.toLowerCase()],
);

/** Parses and documents the header. */
export const IdempotencyKey = (): ParameterDecorator =>
  headerOf(IDEMPOTENCY_KEY_HEADER, IdempotencyKeySchema, IdempotencyKeyOf);
