import { Injectable } from '@nestjs/common';
import { ZodPipe } from './zod.pipe.js';

/** As ZodPipe; properties that are null count as left out, which is how many a serialiser writes them. */
@Injectable()
export class BodyPipe<T> extends ZodPipe<T> {
  override transform(value: unknown): T {
    return super.transform(isObject(value) ? withoutNulls(value) : value);
  }
}

function withoutNulls(object: object): object {
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]: [string, unknown]) =>
      value === null ? [] : [[name, isObject(value) ? withoutNulls(value) : value]],
    ),
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
