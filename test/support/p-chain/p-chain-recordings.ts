import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../../src/platform/config/project-folder.js';

const FOLDERS = [join('sandbox', 'recording'), join('test', 'recordings')];

/** Files of all recorded P-chains, from the project's folder on; the one that the sandbox serves is the first. */
export const P_CHAIN_RECORDINGS = FOLDERS.flatMap((folder) =>
  readdirSync(join(projectFolder(), folder))
    .filter((name) => /^p-chain.*\.json\.br$/.test(name))
    .map((name) => join(folder, name)),
);
