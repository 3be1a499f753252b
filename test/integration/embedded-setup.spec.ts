import { beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { createTestFolder } from '../support/harness/services.js';

/** Stand in for npm, tsc and esbuild: note that they were called, and leave behind what the real ones would. */
const FAKE_NPM = `
  const fs = require('node:fs');
  fs.appendFileSync('calls.log', 'npm ' + process.argv[2] + '\\n');
  setTimeout(() => {
    if (fs.existsSync('node_modules')) {
      for (const name of fs.readdirSync('node_modules')) fs.rmSync('node_modules/' + name, { recursive: true });
    }
    fs.mkdirSync('node_modules/typescript/bin', { recursive: true });
    fs.copyFileSync('fake-tsc.cjs', 'node_modules/typescript/bin/tsc');
    fs.writeFileSync('node_modules/typescript/package.json', '{}');
    fs.copyFileSync('package-lock.json', 'node_modules/.package-lock.json');
  }, 200);`;
const FAKE_TSC = `
  const fs = require('node:fs');
  fs.appendFileSync('calls.log', 'tsc\\n');
  if (fs.readFileSync('src/a.ts', 'utf8') === 'broken') {
    console.log('src/a.ts(1,1): error');
    process.exit(2);
  }
  fs.mkdirSync('dist/src/platform/temporal', { recursive: true });
  fs.writeFileSync('dist/src/platform/temporal/bundle-workflows.js', '');`;
const FAKE_BUNDLE = `
  import fs from 'node:fs';
  fs.mkdirSync('dist/bundled/sandbox/local', { recursive: true });
  fs.writeFileSync('dist/bundled/sandbox/local/main.js', "console.log('started with', ...process.argv.slice(2)); process.exit(7)");`;

const lockfile = (version: string): string =>
  JSON.stringify({ packages: { '': {}, 'node_modules/a': { version, optional: true } } });

describe('setup.mjs', () => {
  let project: string;
  beforeEach(() => {
    project = createTestFolder('setup');
    put('package.json', '{"type":"module"}');
    put('package-lock.json', lockfile('1.0.0'));
    put('tsconfig.json', '{}');
    put('src/a.ts', 'one');
    put('fake-npm/package.json', '{}');
    put('fake-npm/npm.js', FAKE_NPM);
    put('fake-tsc.cjs', FAKE_TSC);
    put('sandbox/local/bundle.mjs', FAKE_BUNDLE);
    cpSync(join(projectFolder(), 'sandbox/local/setup.mjs'), join(project, 'sandbox/local/setup.mjs'));
  });

  function put(file: string, content: string): void {
    mkdirSync(dirname(join(project, file)), { recursive: true });
    writeFileSync(join(project, file), content);
  }

  async function run(...args: string[]): Promise<{ code: number; output: string }> {
    return runFile('sandbox/local/setup.mjs', ...args);
  }

  async function runFile(file: string, ...args: string[]): Promise<{ code: number; output: string }> {
    const child = spawn(process.execPath, [join(project, file), ...args], {
      cwd: project,
      env: { ...process.env, npm_execpath: join(project, 'fake-npm/npm.js') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
    }
    await once(child, 'close');
    return { code: child.exitCode ?? -1, output };
  }

  function takeCalls(): string[] {
    const file = join(project, 'calls.log');
    const calls = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
    rmSync(file, { force: true });
    return calls;
  }

  it('installs and builds once, then becomes the program, with its arguments and exit code', async () => {
    const first = await run('start', '--flag', 'value');
    expect(first.output).toContain('started with --flag value');
    expect(first.code).toBe(7);
    expect(takeCalls()).toEqual(['npm ci', 'tsc']);
    expect((await run('start')).output).toBe('started with\n');
    expect(takeCalls()).toEqual([]);
  });

  it('builds again when a source has changed, and installs again when the lockfile has', async () => {
    await run('test-setup');
    takeCalls();
    put('src/a.ts', 'two');
    await run('test-setup');
    expect(takeCalls()).toEqual(['tsc']);
    put('package-lock.json', lockfile('1.0.1'));
    await run('test-setup');
    expect(takeCalls()).toEqual(['npm ci', 'tsc']);
  });

  it('accepts what somebody has installed by hand', async () => {
    await run('test-setup');
    takeCalls();
    rmSync(join(project, 'node_modules/.nds-installed'));
    await run('test-setup');
    expect(takeCalls()).toEqual([]);
  });

  it('does not touch the packages of another checkout behind a link', async () => {
    put('elsewhere/package/index.js', '');
    symlinkSync(join(project, 'elsewhere'), join(project, 'node_modules'));
    expect((await run('test-setup')).code).toBe(0);
    expect(existsSync(join(project, 'elsewhere/package/index.js'))).toBe(true);
    expect(existsSync(join(project, 'node_modules/typescript'))).toBe(true);
  });

  it('removes the output of a source that was deleted', async () => {
    await run('test-setup');
    put('dist/src/gone.js', '');
    put('src/a.ts', 'two');
    await run('test-setup');
    expect(existsSync(join(project, 'dist/src/gone.js'))).toBe(false);
  });

  it('sets up once when it is started twice at the same time', async () => {
    const results = await Promise.all([run('test-setup'), run('test-setup')]);
    expect(results.map(({ code }) => code)).toEqual([0, 0]);
    expect(takeCalls()).toEqual(['npm ci', 'tsc']);
  });

  it('shows why the build has failed, and tries again next time', async () => {
    put('src/a.ts', 'broken');
    const failed = await run('start');
    expect(failed.code).toBe(1);
    expect(failed.output).toContain('src/a.ts(1,1): error');
    takeCalls();
    await run('test-setup');
    expect(takeCalls()).toEqual(['tsc']);
  });

  it('takes over from a process that was killed while it set up', async () => {
    const killed = spawn(process.execPath, ['-e', '']);
    await once(killed, 'close');
    put('.data/setup.lock', String(killed.pid));
    expect((await run('test-setup')).code).toBe(0);
  });

  it('takes over from a process of the same id, as those of containers have', async () => {
    put('.data/setup.lock', 'replaced');
    put(
      'same-id.mjs',
      `import { writeFileSync } from 'node:fs';
       import { setUp } from './sandbox/local/setup.mjs';
       writeFileSync('.data/setup.lock', String(process.pid));
       await setUp();`,
    );
    expect((await runFile('same-id.mjs')).code).toBe(0);
  });

  it("builds nothing for an operator's command where all has been built by hand", async () => {
    put('dist/bundled/src/keys.js', "console.log('keys', ...process.argv.slice(2))");
    expect(await run('keys', 'list')).toEqual({ code: 0, output: 'keys list\n' });
    expect(takeCalls()).toEqual([]);
  });

  it('names its commands when it gets an unknown one', async () => {
    const { code, output } = await run('stop');
    expect(code).toBe(1);
    expect(output).toMatch(/start \| sandbox \| localnet/);
  });
});
