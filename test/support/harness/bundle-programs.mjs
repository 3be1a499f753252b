import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { transform } from '@swc/core';
import { bundle } from '../../../sandbox/local/bundle.mjs';
import { COMMANDS } from '../../../sandbox/local/setup.mjs';
import { SWC_OPTIONS } from './swc-options.mjs';

/** Programs of the tests and benchmarks, `test/X.ts` into `X.js` of this folder, over the service as it is built. */
const FOLDER = 'dist/test-programs';

const project = join(import.meta.dirname, '../../..');

/** Those that are started by others. */
const CHILDREN = [
  /^bench\/([\w-]+-(api|node|worker)|in-memory-aggregator|empty-workflow\/(worker|client))\.ts$/,
  /^support\/(http\/[\w-]+-server|harness\/(shared-services|other-node))\.ts$/,
];

/** What is built is what is tested; and each of it is there once. */
const built = {
  name: 'built',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\..*\.js$/ }, ({ path, resolveDir }) => {
      const file = relative(project, join(resolveDir, path));
      return file.startsWith('..') || /^(test|clients|dist|node_modules)\b/.test(file)
        ? undefined
        : { path: join(project, 'dist', file) };
    });
    // With the types of constructors' parameters, for Nest.
    onLoad({ filter: /\.ts$/ }, async ({ path: filename }) => ({
      contents: (await transform(await readFile(filename, 'utf8'), { filename, ...SWC_OPTIONS })).code,
    }));
  },
};

const children = readdirSync(join(project, 'test'), { recursive: true })
  .map((file) => file.split(sep).join('/'))
  .filter((file) => CHILDREN.some((pattern) => pattern.test(file)))
  .map((file) => file.slice(0, -'.ts'.length));
const commands = [...Object.values(COMMANDS.bench), COMMANDS['test:faults']].map((program) =>
  program.slice(`${FOLDER}/`.length, -'.js'.length),
);
await bundle(
  Object.fromEntries([...commands, ...children].map((name) => [name, join(project, 'test', `${name}.ts`)])),
  { folder: join(project, FOLDER), plugins: [built] },
);
