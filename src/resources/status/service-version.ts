import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { projectFolder } from '../../platform/config/project-folder.js';

let version: string | undefined;

/** That of package.json. */
export function serviceVersion(): string {
  version ??= z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(projectFolder(), 'package.json'), 'utf8'))).version;
  return version;
}
