import { applyDecorators, Body, Param, Query } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiParam, ApiQuery } from '@nestjs/swagger';
import type { ZodObject, ZodType } from 'zod';
import { toOpenApi } from '../openapi/schema.js';
import { BodyPipe } from '../pipes/body.pipe.js';
import { QueryPipe } from '../pipes/query.pipe.js';
import { ZodPipe } from '../pipes/zod.pipe.js';

/*
 * Parameters of a controller's methods. One schema both parses a part of the request and documents it.
 */

export const PathOf = (schema: ZodObject): ParameterDecorator =>
  both(Param(new ZodPipe(schema)), parameters(schema, ApiParam));

export const QueryOf = (schema: ZodObject): ParameterDecorator =>
  both(Query(new QueryPipe(schema)), parameters(schema, ApiQuery));

/** Properties that are null count as left out. */
export const BodyOf = (schema: ZodType): ParameterDecorator =>
  both(Body(new BodyPipe(schema)), [ApiBody({ schema: toOpenApi(schema) })]);

/** Documentation of the path and query of a method that reads them by itself. */
export const describeParts = (parts: { path: ZodObject; query: ZodObject }): MethodDecorator =>
  applyDecorators(...parameters(parts.path, ApiParam), ...parameters(parts.query, ApiQuery));

/** A header that `decorator` takes from the request. */
export function headerOf(
  name: string,
  schema: ZodType,
  decorator: (pipe: ZodPipe<unknown>) => ParameterDecorator,
): ParameterDecorator {
  const { description = '', ...rest } = toOpenApi(schema);
  return both(decorator(new ZodPipe(schema)), [
    ApiHeader({ name, required: false, description, schema: rest }),
  ]);
}

function parameters(
  schema: ZodObject,
  decorate: typeof ApiParam | typeof ApiQuery,
): readonly MethodDecorator[] {
  const { properties = {}, required = [] } = toOpenApi(schema);
  return Object.entries(properties).map(([name, property]) => {
    const { description = '', ...all } = '$ref' in property ? {} : property;
    const isRequired = required.includes(name);
    // Pages that try requests fill in every example: of what may be left out it would be another request.
    const rest = Object.fromEntries(Object.entries(all).filter(([key]) => key !== 'example'));
    const schema = isRequired ? all : rest;
    return decorate({ name, required: isRequired, description, schema });
  });
}

function both(parse: ParameterDecorator, document: readonly MethodDecorator[]): ParameterDecorator {
  return (target, key, index) => {
    parse(target, key, index);
    if (key === undefined) throw new TypeError('only methods have parts of requests');
    const descriptor = Object.getOwnPropertyDescriptor(target, key);
    if (descriptor === undefined) throw new TypeError(`there is no method ${String(key)}`);
    for (const decorate of document) decorate(target, key, descriptor);
  };
}
