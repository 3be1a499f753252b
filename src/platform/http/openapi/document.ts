import type { OpenAPIObject } from '@nestjs/swagger';
import { networkNames, PUBLIC_NETWORKS } from '../../config/network-names.js';
import { REQUEST_ID_HEADER, REQUEST_ID_PATTERN } from '../requests/request-id.js';
import { ERROR_SCHEMA, ERROR_STATUSES, errorRefs, errorResponses, FREE_STATUSES } from './errors.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Headers = NonNullable<NonNullable<OpenAPIObject['components']>['headers']>;

const COUNT = { type: 'integer', minimum: 0 } as const;

const HEADERS: Headers = {
  [REQUEST_ID_HEADER]: {
    description: 'Identifies this request in the log and in its workflow.',
    schema: { type: 'string', pattern: REQUEST_ID_PATTERN.source },
  },
  'ratelimit-policy': {
    description: 'Allowed cost units and their window in seconds, for the minute and for the day.',
    schema: { type: 'string', example: '60000;w=60, 6000000;w=86400' },
  },
  'ratelimit-limit': {
    description: 'Cost units of the limit that is closest to being used up.',
    schema: COUNT,
  },
  'ratelimit-remaining': { description: 'Cost units left of that limit.', schema: COUNT },
  'x-cost': { description: 'Cost units of this request.', schema: COUNT },
  'retry-after': { description: 'Seconds after which to try again.', schema: COUNT },
  'ratelimit-reset': { description: 'Seconds after which the limit begins anew.', schema: COUNT },
  'www-authenticate': { description: 'The header that has the key.', schema: { type: 'string' } },
};

/** Of every answer that counts against the limits. */
const LIMITED = ['ratelimit-policy', 'ratelimit-limit', 'ratelimit-remaining', 'x-cost'];

/** Where a caller may be without a key, and is limited by address. */
const KEY_IS_OPTIONAL: NonNullable<OpenAPIObject['security']> = [{}, { apiKey: [] }];

const NOT_MODIFIED = { description: 'The answer named by `if-none-match` has not changed.' } as const;

/** Documents what all operations have in common. `unitsOf`: what a path costs; one that costs nothing is not limited. */
export function completeDocument(document: OpenAPIObject, unitsOf: (path: string) => number): OpenAPIObject {
  const operations = Object.entries(document.paths).flatMap(([path, { get, head, post, delete: remove }]) =>
    [get, head, post, remove].flatMap((operation) => (operation === undefined ? [] : [{ path, operation }])),
  );
  for (const { get } of Object.values(document.paths)) {
    if (get?.responses['200'] !== undefined) get.responses['304'] ??= NOT_MODIFIED;
  }
  for (const { path, operation } of operations) {
    complete(operation, unitsOf(path) === 0);
    Object.assign(operation, { 'x-cost': unitsOf(path) });
  }
  nameApart(operations.map(({ operation }) => operation));
  nameNetworks(document);
  const refs = headerRefs(false);
  return {
    ...document,
    security: KEY_IS_OPTIONAL,
    components: {
      ...document.components,
      headers: HEADERS,
      schemas: { ...document.components?.schemas, ErrorResponse: ERROR_SCHEMA },
      responses: errorResponses(refs),
    },
  };
}

function complete(operation: Operation, isFree: boolean): void {
  for (const response of Object.values(operation.responses)) {
    if (response !== undefined && !('$ref' in response)) {
      response.headers = { ...headerRefs(isFree), ...response.headers };
    }
  }
  if (isFree) operation.security = [];
  const statuses = isFree ? FREE_STATUSES : ERROR_STATUSES;
  operation.responses = { ...errorRefs(statuses), ...operation.responses };
  operation.parameters?.sort((a, b) => placeOf(a) - placeOf(b));
}

/** A method may serve several paths. */
function nameApart(operations: readonly Operation[]): void {
  const seen = new Map<string, number>();
  for (const operation of operations) {
    const { operationId = '' } = operation;
    const number = (seen.get(operationId) ?? 0) + 1;
    seen.set(operationId, number);
    if (number > 1) operation.operationId = `${operationId}${number}`;
  }
}

/** The names of NETWORKS_FILE behind those of the public networks, wherever these are listed. */
function nameNetworks(part: unknown): void {
  if (typeof part !== 'object' || part === null) return;
  for (const [key, value] of Object.entries(part)) {
    if (key === 'enum' && isListOfNetworks(value)) {
      Object.assign(part, { enum: [...new Set([...value, ...networkNames()])] });
    } else {
      nameNetworks(value);
    }
  }
}

function isListOfNetworks(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && PUBLIC_NETWORKS.every((name) => value.includes(name));
}

function headerRefs(isFree: boolean): Record<string, { $ref: string }> {
  const names = [REQUEST_ID_HEADER, ...(isFree ? [] : LIMITED)];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Paths are filled in first. */
function placeOf(parameter: object): number {
  return 'in' in parameter && parameter.in === 'path' ? 0 : 1;
}
