import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { describeApi } from '../support/http/api-document.js';
import { generateClientTypes } from '../support/http/client-types.js';

/** Generating takes its time on a busy machine. */
const PATIENCE_MS = 120_000;

const FILE = join(projectFolder(), 'clients/typescript/src/schema.ts');

describe('the types of the published client', () => {
  it(
    'are those of the OpenAPI document; WRITE_CLIENT_TYPES=1 writes them',
    async () => {
      const types = await generateClientTypes(await describeApi());
      if (process.env['WRITE_CLIENT_TYPES'] === '1') writeFileSync(FILE, types);
      expect(readFileSync(FILE, 'utf8')).toBe(types);
    },
    PATIENCE_MS,
  );
});
