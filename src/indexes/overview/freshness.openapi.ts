import type { OpenAPIObject } from '@nestjs/swagger';
import { INDEX_HEIGHT_HEADER, INDEX_TIME_HEADER, isListOfOneChain } from './list-freshness.js';

const HEADERS = {
  [INDEX_HEIGHT_HEADER]: {
    description: 'Height of the newest block in the index of the chain; absent before the first.',
    schema: { type: 'integer', minimum: 0, example: 272 },
  },
  [INDEX_TIME_HEADER]: {
    description: 'Time of that block. UNIX seconds.',
    schema: { type: 'integer', minimum: 0, example: 1_795_307_538 },
  },
} as const;

/** Adds to a document what lists of one chain say of their index. */
export function describeFreshness(document: OpenAPIObject): OpenAPIObject {
  for (const [path, { get }] of Object.entries(document.paths)) {
    const answer = get?.responses['200'];
    if (!isListOfOneChain(path) || answer === undefined || '$ref' in answer) continue;
    answer.headers = { ...answer.headers, ...HEADERS };
  }
  return document;
}
