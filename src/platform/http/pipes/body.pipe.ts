import { Injectable } from '@nestjs/common';
import { badRequest } from '../errors/api-error.js';
import { ZodPipe } from './zod.pipe.js';

/** No body that means anything is deeper; one that is thousands deep would exhaust the stack. */
const MAX_DEPTH = 32;

/** As ZodPipe; properties that are null count as left out, which is how many a serialiser writes them. */
@Injectable()
export class BodyPipe<T> extends ZodPipe<T> {
  override transform(value: unknown): T {
    return super.transform(isObject(value) ? withoutNulls(value) : value);
  }
}

function withoutNulls(object: object, depth = 1): object {
  if (depth > MAX_DEPTH) throw badRequest(`the body must not be nested more than ${MAX_DEPTH} levels deep`);
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]: [string, unknown]) =>
      value === null ? [] : [[name, isObject(value) ? withoutNulls(value, depth + 1) : value]],
    ),
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
