import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { projectFolder } from '../../../src/platform/config/project-folder.js';
import { compileContracts } from './compile.js';

const HEADER = `/** Made of solidity/ by \`npm run compile:contracts\`; a test compiles again and compares. */`;

const file = join(projectFolder(), 'tools', 'localnet', 'contracts', 'artifacts.ts');
const constants = Object.entries(await compileContracts()).map(
  ([name, { abi, bytecode }]) =>
    `export const ${name} = { abi: parseAbi(${JSON.stringify(abi)}), bytecode: '${bytecode}' } as const;`,
);
const source = [`import { parseAbi } from 'viem/utils';`, HEADER, ...constants].join('\n\n');
const unfinished = `${file}.new`;
writeFileSync(unfinished, await format(source, { ...(await resolveConfig(file)), parser: 'typescript' }));
// At once: a test that compiles again is beside others that read it.
renameSync(unfinished, file);
