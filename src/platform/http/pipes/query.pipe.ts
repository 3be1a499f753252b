import { Injectable } from '@nestjs/common';
import type { ZodObject } from 'zod';
import { badRequest } from '../errors/api-error.js';
import { toOpenApi } from '../openapi/schema.js';
import { ZodPipe } from './zod.pipe.js';

/** Parses a query. What is given twice arrives as a list, of which most schemas would give another reason. */
@Injectable()
export class QueryPipe extends ZodPipe<unknown> {
  /** Of parameters that are no lists. */
  private readonly names: readonly string[];

  constructor(query: ZodObject) {
    super(query);
    const { properties = {} } = toOpenApi(query);
    this.names = Object.entries(properties).flatMap(([name, property]) =>
      'type' in property && property.type === 'array' ? [] : [name],
    );
  }

  override transform(value: Readonly<Record<string, unknown>>): unknown {
    const repeated = this.names.filter((name) => Array.isArray(value[name]));
    if (repeated.length === 0) return super.transform(value);
    throw badRequest(repeated.map((name) => `${name}: must be given once`).join('; '));
  }
}
