import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** Sets the cost units of the answer, where they depend on what it took. */
export type SetPrice = (units: number) => void;

/** Parameter of a controller's method. Until a price is set, it is what the path costs. */
export const PriceOfAnswer = createParamDecorator((_: unknown, context: ExecutionContext): SetPrice =>
  priceSetterOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

export function priceSetterOf(request: FastifyRequest): SetPrice {
  return (units) => {
    if (request.units > 0) request.units = units;
  };
}
