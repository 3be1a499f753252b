import { type CanActivate, type ExecutionContext, Injectable, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { badRequest } from '../errors/api-error.js';
import { describeUnknown } from './unknown-names.js';

@Injectable()
class NoQueryGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { query } = context.switchToHttp().getRequest<FastifyRequest>();
    const names = Object.keys(query ?? {});
    if (names.length > 0) throw badRequest(describeUnknown('query parameter', names));
    return true;
  }
}

/** Refuses query parameters: one that was meant for the body, or as a filter, would be left unheeded. */
export const NoQuery = () => UseGuards(NoQueryGuard);
