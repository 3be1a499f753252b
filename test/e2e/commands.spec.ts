import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { runScript, runToEnd } from '../support/harness/npm-scripts.js';
import { createTestFolder } from '../support/harness/services.js';
import { SMALL_BENCHMARKS } from '../support/harness/small-benchmarks.js';

const PROJECT = projectFolder();

/** Where the other scripts of package.json are run by `npm test`. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  start: 'test/integration/embedded-start.spec.ts',
  'start:api': 'test/support/harness/service.ts',
  'start:worker': 'test/support/harness/service.ts',
  sandbox: 'test/integration/sandbox-process.spec.ts',
  localnet: 'test/localnet',
  build: 'sandbox/local/setup.mjs',
  test: 'test/run.mjs',
  'test:faults': 'test/e2e/fault-suite.spec.ts',
  lint: 'test/run.mjs',
  'lint:imports': 'test/run.mjs',
  'format:check': 'test/run.mjs',
  typecheck: 'test/run.mjs',
  keys: 'test/integration/api-keys.spec.ts',
  supply: 'test/integration/supply-baseline.spec.ts',
  'verify-export': 'test/integration/export-proof.spec.ts',
  'migration:run': 'test/integration/unreleased-database.spec.ts',
  'migration:revert': 'test/integration/unreleased-database.spec.ts',
};

/** Those that this file runs. */
const HERE = ['bench', 'record', 'generate:proto', 'compile:contracts', 'format'];

/** Those in `usage: npm run bench -- a | b`. */
const namesIn = (usage: string): string[] => /-- (.*)/.exec(usage)?.[1]?.split(' | ') ?? [];

/** Name and content of each. */
const filesOf = (folder: string): string[][] =>
  readdirSync(folder)
    .toSorted()
    .map((name) => [name, readFileSync(join(folder, name), 'utf8')]);

const inModules = (...parts: string[]): string => join(PROJECT, 'node_modules', ...parts);

describe('the scripts of package.json', () => {
  it('are all run by the tests', () => {
    const { scripts } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(Object.keys(scripts).toSorted()).toEqual([...HERE, ...Object.keys(ELSEWHERE)].toSorted());
    expect(Object.values(ELSEWHERE).filter((path) => !existsSync(join(PROJECT, path)))).toEqual([]);
  });

  it.each(['bench', 'record'])('name what %s can be given when it is given nothing known', async (script) => {
    const [without, unknown] = [await runScript(script), await runScript(script, 'nonsense')];
    for (const { code, stderr } of [without, unknown]) {
      expect(code).toBe(1);
      expect(namesIn(stderr)).toContain(script === 'bench' ? 'lists' : 'two-chains');
    }
  });

  it('compile the contracts as they are', async () => {
    const file = join(PROJECT, 'tools/localnet/contracts/artifacts.ts');
    const before = readFileSync(file, 'utf8');
    expect(await runScript('compile:contracts')).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('generate the code of the peer protocol as it is', async () => {
    const generated = 'src/avalanche/proto/generated';
    // Elsewhere: what is generated is emptied first, and specs beside this one load it.
    const folder = createTestFolder('generated-proto');
    const { code, stderr } = await runToEnd(
      process.execPath,
      ...[inModules('@bufbuild', 'buf', 'bin', 'buf'), 'generate', '--output', folder],
      ...['--template', 'src/avalanche/proto/buf.gen.yaml', 'src/avalanche/proto'],
    );
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(filesOf(join(folder, generated))).toEqual(filesOf(join(PROJECT, generated)));
  });

  it('format a file that is formatted as it is', async () => {
    const before = readFileSync(join(PROJECT, 'package.json'), 'utf8');
    const { code } = await runToEnd(
      process.execPath,
      inModules('prettier', 'bin', 'prettier.cjs'),
      ...['--write', 'package.json'],
    );
    expect(code).toBe(0);
    expect(readFileSync(join(PROJECT, 'package.json'), 'utf8')).toBe(before);
  });
});

describe('the benchmarks', () => {
  it('are all run by the tests, in parts or as a whole', async () => {
    const { stderr } = await runScript('bench');
    const run = Object.values(SMALL_BENCHMARKS).flatMap((some) => some.map((text) => text.split(' ')[0]));
    expect([...new Set(run)].toSorted()).toEqual(namesIn(stderr).toSorted());
  });

  it.each(Object.keys(SMALL_BENCHMARKS))('of %s have a spec that runs them', (group) => {
    const spec = readFileSync(join(PROJECT, `test/e2e/benchmarks-of-${group}.spec.ts`), 'utf8');
    expect(spec).toContain(`describeBenchmarks('${group}')`);
  });
});
