import { describe, expect, it } from '@jest/globals';
import { execFile, type ExecFileException } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../src/platform/config/project-folder.js';

const LIMIT_MS = 240_000;
const PROJECT = projectFolder();

/** So little that each takes seconds: whether it still runs, not how fast. */
const SMALL_BENCHES: Readonly<Record<string, string>> = {
  aggregation: '--quick --validators 5 --seconds 0.2',
  floods:
    '--validators 30 --seconds 3 --per-second 5 --addresses 2 --gossipers 5 ' +
    '--nfts-per-minute 900 --metadata-kilobytes 300 --exports 4 --export-rows 3000',
  processes: '--validators 30 --processes 2 --cooldown-ms 500',
  'on-sight': '--validators 30 --messages 3 --pause-ms 100 --seconds 1 --flood 20',
  index:
    '--p-chain --evm --history --supply --headers 3000 --supply-rows 500 --blocks 400 --batch 200 --evm-blocks 100 --partitions 3 --validators 30 --tip-blocks 2',
  idle: '--chains 2 --seconds 1',
  'x-chain': '--blocks 200 --transactions 2 --batch 100',
  lists: '--size tiny --seconds 0.1',
  metering: '--utxos 500 --rounds 1 --seconds 0.2',
  usage: '--requests 3000 --seconds 0.2',
  messages: '--messages 3000 --projected 300 --sends 3000 --seconds 0.1',
  nfts: '--tokens 200 --rounds 1 --seconds 0.2',
  export: '--rows 5000 --rounds 1',
  search: '--blocks 20000 --changes 20 --call-ms 1',
};

/** One starts several services one after the other: a minute, and more on a busy machine. */
const BENCH_TIMEOUT_MS = 300_000;

/** Where the other scripts of package.json are run by `npm test`. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  start: 'test/integration/embedded-start.spec.ts',
  'start:api': 'test/support/harness/service.ts',
  'start:worker': 'test/support/harness/service.ts',
  sandbox: 'test/integration/sandbox-process.spec.ts',
  localnet: 'test/localnet',
  build: 'sandbox/local/setup.mjs',
  test: 'test/run.mjs',
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
const HERE = ['bench', 'record', 'generate:proto', 'compile:contracts', 'format', 'test:faults'];

interface Ended {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

function run(command: string, ...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const answer = (error: ExecFileException | null, stdout: string, stderr: string): void =>
      resolve({ code: error === null ? 0 : (error.code ?? String(error.signal)), stdout, stderr });
    execFile(command, args, { cwd: PROJECT, timeout: LIMIT_MS }, answer);
  });
}

const setUp = (...args: string[]): Promise<Ended> =>
  run(process.execPath, 'sandbox/local/setup.mjs', ...args);
/** Those in `usage: npm run bench -- a | b`. */
const namesIn = (usage: string): string[] => /-- (.*)/.exec(usage)?.[1]?.split(' | ') ?? [];

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
    const [without, unknown] = [await setUp(script), await setUp(script, 'nonsense')];
    for (const { code, stderr } of [without, unknown]) {
      expect(code).toBe(1);
      expect(namesIn(stderr)).toContain(script === 'bench' ? 'lists' : 'two-chains');
    }
  });

  it('begin the fault suite, which takes too long to be run here', async () => {
    const { code, stdout, stderr } = await setUp('test:faults', '--help');
    expect(code).toBe(0);
    expect(stdout + stderr).toMatch(/--soak N/);
  });

  it('compile the contracts as they are', async () => {
    const file = join(PROJECT, 'tools/localnet/contracts/artifacts.ts');
    const before = readFileSync(file, 'utf8');
    expect(await setUp('compile:contracts')).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('generate the code of the peer protocol as it is', async () => {
    const generated = 'src/avalanche/proto/generated';
    const before = await run('git', 'status', '--porcelain', generated);
    const { code, stderr } = await run(
      process.execPath,
      ...[inModules('@bufbuild', 'buf', 'bin', 'buf'), 'generate'],
      ...['--template', 'src/avalanche/proto/buf.gen.yaml', 'src/avalanche/proto'],
    );
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(await run('git', 'status', '--porcelain', generated)).toEqual(before);
  });

  it('format a file that is formatted as it is', async () => {
    const before = readFileSync(join(PROJECT, 'package.json'), 'utf8');
    const { code } = await run(
      process.execPath,
      inModules('prettier', 'bin', 'prettier.cjs'),
      ...['--write', 'package.json'],
    );
    expect(code).toBe(0);
    expect(readFileSync(join(PROJECT, 'package.json'), 'utf8')).toBe(before);
  });
});

describe('the benchmarks', () => {
  it('are all known here', async () => {
    const { stderr } = await setUp('bench');
    expect(namesIn(stderr).toSorted()).toEqual(Object.keys(SMALL_BENCHES).toSorted());
  });

  it.each(Object.entries(SMALL_BENCHES))(
    'run and print what they measured: %s %s',
    async (name, options) => {
      const { code, stdout, stderr } = await setUp('bench', name, ...options.split(' '));
      expect({ code, stderr: code === 0 ? '' : stderr.slice(-3_000) }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^\|(?:.*\|)+$|\(goal \d+: \w+\)$/m);
    },
    BENCH_TIMEOUT_MS,
  );
});
