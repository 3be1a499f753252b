import type { OpenAPIObject } from '@nestjs/swagger';
import { z } from 'zod';
import type { RequestLimits } from './export-request.js';

const EXPORT_PATHS = ['/v1/operations/transactions:export', '/v1/operations/ledger:export'];

const PropertySchema = z.looseObject({ description: z.string() });
const BodySchema = z.looseObject({
  properties: z.looseObject({
    firstDate: PropertySchema,
    options: z.looseObject({
      properties: z.looseObject({ addresses: PropertySchema, includeChains: PropertySchema.exactOptional() }),
    }),
  }),
});

/** Adds to a document what one export may ask for, as it is configured here. */
export function describeExportLimits(document: OpenAPIObject, limits: RequestLimits): OpenAPIObject {
  return EXPORT_PATHS.reduce((described, path) => describeLimits(described, path, limits), document);
}

function describeLimits(document: OpenAPIObject, path: string, limits: RequestLimits): OpenAPIObject {
  const body = document.paths[path]?.post?.requestBody;
  const content = body === undefined || '$ref' in body ? undefined : body.content['application/json'];
  if (content === undefined) return document;
  const { properties, ...schema } = BodySchema.parse(content.schema);
  const { firstDate, options } = properties;
  const { addresses, includeChains } = options.properties;
  content.schema = {
    ...schema,
    properties: {
      ...properties,
      firstDate: withSentence(firstDate, `At most ${limits.maxDays} days before the last.`),
      options: {
        ...options,
        properties: {
          ...options.properties,
          addresses: {
            ...withSentence(addresses, `At most ${limits.maxAddresses} different addresses.`),
            maxItems: limits.maxAddresses,
          },
          ...(includeChains === undefined
            ? {}
            : {
                includeChains: {
                  ...withSentence(includeChains, `At most ${limits.maxChains}.`),
                  maxItems: limits.maxChains,
                },
              }),
        },
      },
    },
  };
  return document;
}

function withSentence(property: z.output<typeof PropertySchema>, sentence: string) {
  return { ...property, description: `${property.description} ${sentence}` };
}
