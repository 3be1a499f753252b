import { Injectable } from '@nestjs/common';
import type { ZodObject } from 'zod';
import { badRequest } from '../errors/api-error.js';
import { ZodPipe } from './zod.pipe.js';

/** Parses a query. What is given twice arrives as a list, of which most schemas would give another reason; no parameter is one. */
@Injectable()
export class QueryPipe extends ZodPipe<unknown> {
  constructor(private readonly query: ZodObject) {
    super(query);
  }

  override transform(value: Readonly<Record<string, unknown>>): unknown {
    const repeated = Object.keys(this.query.shape).filter((name) => Array.isArray(value[name]));
    if (repeated.length === 0) return super.transform(value);
    throw badRequest(repeated.map((name) => `${name}: must be given once`).join('; '));
  }
}
