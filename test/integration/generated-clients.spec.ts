import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { createTestFolder } from '../support/harness/services.js';
import { describeApi } from '../support/http/api-document.js';

const README = readFileSync(join(projectFolder(), 'clients/README.md'), 'utf8');

/** Generators in other languages, each with what has to be there. */
const RECIPES = [
  { language: 'Go', tool: ['go', 'version'] },
  { language: 'Python', tool: ['python3', '-c', 'import venv, ensurepip'] },
] as const;

const available = RECIPES.filter(({ tool: [command, ...args] }) => spawnSync(command, args).status === 0);
for (const { language, tool } of RECIPES) {
  if (!available.some((each) => each.language === language)) {
    console.warn(`The recipe for ${language} is not tried: \`${tool.join(' ')}\` fails here.`);
  }
}

describe('clients/README.md', () => {
  let document: string;

  beforeAll(async () => {
    document = JSON.stringify(await describeApi());
  });

  it('has a recipe for each language', () => {
    for (const { language } of RECIPES) expect(recipeOf(language)).toMatch(/^\S/);
  });

  for (const { language } of available) {
    it(`has a recipe for ${language} that makes a client which compiles`, async () => {
      const folder = createTestFolder('generated-client');
      writeFileSync(join(folder, 'openapi.json'), document);
      const recipe = promisify(execFile)('bash', ['-euo', 'pipefail', '-c', recipeOf(language)], {
        cwd: folder,
      });
      await expect(recipe).resolves.toBeDefined();
    });
  }
});

/** The commands below a heading. */
function recipeOf(language: string): string {
  const section = README.split(/^## /m).find((each) => each.startsWith(`${language}\n`)) ?? '';
  return /```sh\n(.*?)```/s.exec(section)?.[1] ?? '';
}
