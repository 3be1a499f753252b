import type { OpenAPIObject } from '@nestjs/swagger';
import { REQUEST_ID_HEADER, REQUEST_ID_PATTERN } from './request-id.js';

const schema = { type: 'string', pattern: REQUEST_ID_PATTERN.source } as const;
const header = { description: 'Names this request in the log and in its workflow.', schema } as const;

/** Says of every answer in the document that it has the header. */
export function withRequestIdHeader(document: OpenAPIObject): OpenAPIObject {
  for (const { get, post } of Object.values(document.paths)) {
    for (const operation of [get, post]) {
      for (const response of Object.values(operation?.responses ?? {})) {
        if (response !== undefined && !('$ref' in response)) {
          response.headers = { ...response.headers, [REQUEST_ID_HEADER]: header };
        }
      }
    }
  }
  return document;
}
