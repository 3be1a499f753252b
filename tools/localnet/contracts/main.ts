import { writeFileSync } from 'node:fs';
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
writeFileSync(file, await format(source, { ...(await resolveConfig(file)), parser: 'typescript' }));
