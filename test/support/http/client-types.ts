import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import type { OpenAPIObject } from '@nestjs/swagger';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** Methods that the client has a function for, each with the status of its answer. */
const METHODS = [
  ['get', '200'],
  ['post', '201'],
  ['delete', '204'],
] as const;

/** The types of the published client: those of the document, and which belong to which path. */
export async function generateClientTypes(document: OpenAPIObject): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'nds-types-'));
  try {
    await createClient({
      input: { ...withExactIntegers(withoutErrors(document)) },
      output: { path: folder },
      plugins: ['@hey-api/typescript'],
      logs: { level: 'silent', file: false },
    });
    const types = readFileSync(join(folder, 'types.gen.ts'), 'utf8');
    return `${types}\n${METHODS.map(([method, status]) => tableOf(document, method, status)).join('\n')}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Errors are classes, the same for all operations. */
function withoutErrors(document: OpenAPIObject): OpenAPIObject {
  const copy = structuredClone(document);
  for (const item of Object.values(copy.paths)) {
    for (const [method, status] of METHODS) {
      const operation = item[method];
      if (operation === undefined) continue;
      operation.responses = Object.fromEntries(
        Object.entries(operation.responses).filter(([each]) => each === status),
      );
    }
    delete item.head;
  }
  return copy;
}

/** The client reads integers that are too long for a number as decimal strings. */
function withExactIntegers(document: OpenAPIObject): OpenAPIObject {
  return JSON.parse(JSON.stringify(document), (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('format' in value) || value.format !== 'uint64') {
      return value;
    }
    const text =
      'description' in value ? String(value.description).replace(/ May be above 2\^53.*$/, '') : '';
    const description = `${text} A string where a number would lose digits.`;
    return { description, oneOf: [{ type: 'integer' }, { type: 'string' }] };
  }) as OpenAPIObject;
}

function tableOf(document: OpenAPIObject, method: (typeof METHODS)[number][0], status: string): string {
  const lines = Object.entries(document.paths).flatMap(([path, item]) => {
    const name = nameOf(item[method]);
    // Files and streams are not JSON: links and `changes` are their ways.
    if (name === undefined || /\.(csv|gz)$|\/changes$/.test(path)) return [];
    return [`    '${path}': { request: ${name}Data; answer: ${name}Responses[${status}] };`];
  });
  const table = `${method.charAt(0).toUpperCase()}${method.slice(1)}Operations`;
  return [`export interface ${table} {`, ...lines, '}', ''].join('\n');
}

/** As the generator makes it of the operation's id. */
function nameOf(operation: Operation | undefined): string | undefined {
  const id = operation?.operationId;
  return id === undefined ? undefined : id.charAt(0).toUpperCase() + id.slice(1);
}
