import type { OpenAPIObject } from '@nestjs/swagger';
import { ERROR_TEXTS, type ErrorStatus, errorBody } from '../errors/api-error.js';

type Components = NonNullable<OpenAPIObject['components']>;

const REF = { $ref: '#/components/schemas/ErrorResponse' } as const;

/** When each is answered, and a message that is. */
export const ERROR_ANSWERS = {
  400: {
    when: 'Part of the request is invalid; the message begins with its name.',
    message: 'pageSize: must be a whole number from 1 to 100',
  },
  401: {
    when: 'The key is unknown, revoked or expired, or is missing where one is required.',
    message: 'x-data-api-key: is unknown, revoked or expired',
  },
  403: {
    when: 'The key is valid, but not for this request.',
    message: 'orgId: is not the organisation of this key',
  },
  404: { when: 'The resource or the path does not exist.', message: 'Cannot GET /v1/nothing' },
  429: {
    when: 'The cost units of this minute or day are used up; `retry-after` says when to try again.',
    message: 'the limit of 60000 cost units is reached, try again in 12 s',
  },
  500: {
    when: 'An error in this service; its log has the cause under the request id.',
    message: 'unexpected error; the log has its cause under request id 3f6c9b9e-4d53-4f0a-9a55-0b6f2d0c8a11',
  },
  502: {
    when: 'A node of the network gave a bad answer.',
    message: "the network's node failed: platform.getHeight: bad answer",
  },
  503: {
    when: 'Something that the service depends on is unavailable or not ready; try again after `retry-after` seconds.',
    message: 'the database is not available, try again shortly',
  },
} as const satisfies Record<ErrorStatus, { when: string; message: string }>;

export const ERROR_SCHEMA = {
  type: 'object',
  required: ['message', 'statusCode', 'error'],
  properties: {
    message: {
      type: 'string',
      example: ERROR_ANSWERS[400].message,
      description: 'For people: what is wrong, beginning with the name of the field.',
    },
    statusCode: {
      type: 'integer',
      enum: Object.keys(ERROR_TEXTS).map(Number),
      description: 'The same as in the status line.',
    },
    error: { type: 'string', enum: Object.values(ERROR_TEXTS), description: 'Name of the status.' },
  },
} satisfies NonNullable<Components['schemas']>[string];

/** By status. `headers`: those of every answer. */
export function errorResponses(
  headers: NonNullable<Components['headers']>,
): NonNullable<Components['responses']> {
  return Object.fromEntries(
    ERROR_STATUSES.map((status) => [
      nameOf(status),
      {
        description: `${ERROR_TEXTS[status]}. ${ERROR_ANSWERS[status].when}`,
        headers: { ...headers, ...OWN_HEADERS[status] },
        content: {
          'application/json': { schema: REF, example: errorBody(status, ERROR_ANSWERS[status].message) },
        },
      },
    ]),
  );
}

/** The references of operations to it. */
export function errorRefs(statuses: readonly ErrorStatus[]): Record<string, { $ref: string }> {
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${nameOf(status)}` }]),
  );
}

export const ERROR_STATUSES = [
  400, 401, 403, 404, 429, 500, 502, 503,
] as const satisfies readonly ErrorStatus[];
/** Of what needs no key, has no limit and asks no node. */
export const FREE_STATUSES = [400, 500, 503] as const satisfies readonly ErrorStatus[];

const RETRY_AFTER = { 'retry-after': { $ref: '#/components/headers/retry-after' } };
const OWN_HEADERS: Partial<Record<ErrorStatus, NonNullable<Components['headers']>>> = {
  401: { 'www-authenticate': { $ref: '#/components/headers/www-authenticate' } },
  429: { ...RETRY_AFTER, 'ratelimit-reset': { $ref: '#/components/headers/ratelimit-reset' } },
  503: RETRY_AFTER,
};

function nameOf(status: ErrorStatus): string {
  return ERROR_TEXTS[status].replaceAll(' ', '');
}
