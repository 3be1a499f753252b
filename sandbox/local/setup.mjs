import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { uptime } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/**
 * Set-up that `npm start` and other commands run first, on a checkout that may have neither node_modules nor dist. Plain JavaScript without
 * dependencies for that reason. Installs and builds when something changed, then becomes the wanted program: in this very process, so that
 * signals and exit codes need no forwarding.
 */

const project = dirname(dirname(import.meta.dirname));
const inProject = (...parts) => join(project, ...parts);

/** The program of each command, or the names that it takes. Undefined only sets up. */
export const COMMANDS = {
  start: 'dist/bundled/sandbox/local/main.js',
  sandbox: 'dist/bundled/sandbox/main.js',
  localnet: 'dist/tools/localnet/main.js',
  record: {
    'p-chain': 'dist/tools/localnet/scenario/main.js',
    'c-chain': 'dist/tools/localnet/c-chain/main.js',
    'two-chains': 'dist/tools/localnet/l1/main.js',
    'x-chain': 'dist/tools/localnet/x-chain/main.js',
  },
  keys: 'dist/bundled/src/keys.js',
  supply: 'dist/bundled/src/supply.js',
  'verify-export': 'dist/bundled/src/verify-export.js',
  'compile:contracts': 'dist/tools/localnet/contracts/main.js',
  bench: {
    aggregation: 'dist/test-programs/bench/aggregation.js',
    floods: 'dist/test-programs/bench/floods/main.js',
    processes: 'dist/test-programs/bench/processes.js',
    'on-sight': 'dist/test-programs/bench/on-sight.js',
    index: 'dist/test-programs/bench/index.js',
    idle: 'dist/test-programs/bench/idle.js',
    'x-chain': 'dist/test-programs/bench/x-chain.js',
    lists: 'dist/test-programs/bench/lists.js',
    metering: 'dist/test-programs/bench/metering.js',
    usage: 'dist/test-programs/bench/usage.js',
    messages: 'dist/test-programs/bench/interchain-messages.js',
    nfts: 'dist/test-programs/bench/nfts.js',
    export: 'dist/test-programs/bench/export.js',
    search: 'dist/test-programs/bench/search.js',
  },
  'test:faults': 'dist/test-programs/faults/main.js',
  'test-setup': undefined,
};

const MINIMUM_NODE = [20, 19];
const PROGRESS_INTERVAL_MS = 15_000;
const LOCK_INTERVAL_MS = 200;
const UNWRITTEN_LOCK_MS = 5_000;

const log = (text) => console.error(`[set-up] ${text}`);

/** Installs dependencies and builds, each only when needed; one process at a time. */
export async function setUp({ tests = false } = {}) {
  checkNodeVersion();
  await whileLocked(async () => {
    await installIfNeeded();
    await buildIfNeeded();
    if (tests) await bundleTestsIfNeeded();
  });
}

export function checkNodeVersion(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number);
  const [wantedMajor, wantedMinor] = MINIMUM_NODE;
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return;
  throw new SetUpError(
    `Node ${MINIMUM_NODE.join('.')} or newer is needed, this is ${version}: https://nodejs.org`,
  );
}

/** Something that the person can act on: shown without a stack. */
export class SetUpError extends Error {}

async function installIfNeeded() {
  const marker = inProject('node_modules', '.nds-installed');
  const lockfile = readFileSync(inProject('package-lock.json'), 'utf8');
  const machine = `node ${process.versions.node.split('.')[0]} ${process.platform} ${process.arch}`;
  const wanted = `${hash([lockfile])} ${machine}`;
  const found = readIfExists(marker);
  if (found === wanted) return;
  const sameMachine = found === undefined || found.endsWith(machine);
  if (!(sameMachine && isInstalled(JSON.parse(lockfile)))) {
    unlinkModules();
    await run(
      'installing dependencies (about a minute)',
      ...npm('ci', '--include=dev', '--no-audit', '--no-fund'),
    );
  }
  writeFileSync(marker, wanted);
}

/** npm empties the folder first: behind a symbolic link that would be somebody else's. */
function unlinkModules() {
  const modules = inProject('node_modules');
  if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) unlinkSync(modules);
}

/** Whether somebody has run npm by hand: its own record in node_modules, written last, agrees with the lockfile. */
function isInstalled(lockfile) {
  const record = readIfExists(inProject('node_modules', '.package-lock.json'));
  if (record === undefined) return false;
  const installed = JSON.parse(record).packages;
  return Object.entries(lockfile.packages).every(
    ([path, { version, optional, devOptional, peer, extraneous }]) => {
      if (path === '') return true;
      const mayBeMissing = optional || devOptional || peer || extraneous;
      return installed[path] === undefined ? mayBeMissing : installed[path].version === version;
    },
  );
}

function npm(...args) {
  const own = process.env.npm_execpath; // the npm that runs this script
  if (own?.endsWith('.js')) return [process.execPath, [own, ...args]];
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm', args];
}

async function buildIfNeeded() {
  const marker = inProject('dist', '.nds-built');
  const wanted = hashOfSources();
  if (readIfExists(marker) === wanted) return;
  rmSync(marker, { force: true });
  removeOutputWithoutSource();
  // Types are checked by `npm run build` and `npm test`: to run what is here, that would double the wait.
  await run('building', process.execPath, [
    inProject('node_modules/typescript/bin/tsc'),
    ...['-p', 'tsconfig.json', '--noCheck'],
  ]);
  await run('bundling the workflows', process.execPath, [
    inProject('dist/src/platform/temporal/bundle-workflows.js'),
  ]);
  await run('bundling the programs', process.execPath, [inProject('sandbox/local/bundle.mjs')]);
  writeFileSync(marker, wanted);
}

async function bundleTestsIfNeeded() {
  const marker = inProject('dist', '.tests-bundled');
  const sources = listFiles(inProject('test')).filter((file) => /(?<!\.spec)\.(ts|mjs)$/.test(file));
  const wanted = hash([readIfExists(inProject('dist', '.nds-built')), ...sources.flatMap(nameAndContent)]);
  if (readIfExists(marker) === wanted) return;
  await run('bundling the programs of the tests', process.execPath, [
    inProject('test/support/harness/bundle-programs.mjs'),
  ]);
  writeFileSync(marker, wanted);
}

const SOURCE_FOLDERS = ['src', 'sandbox', 'workflows', 'activities', 'tools'];

function hashOfSources() {
  const files = SOURCE_FOLDERS.flatMap((folder) => listFiles(inProject(folder)))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .sort();
  const configuration = ['tsconfig.json', 'package-lock.json', 'sandbox/local/bundle.mjs'].map((name) =>
    inProject(name),
  );
  return hash([...configuration, ...files].flatMap(nameAndContent));
}

const nameAndContent = (file) => [relative(project, file), readFileSync(file)];

/** tsc leaves the output of deleted sources behind, and migrations are found by looking into their folder. */
function removeOutputWithoutSource() {
  for (const folder of SOURCE_FOLDERS) {
    for (const file of listFiles(inProject('dist', folder))) {
      const output = /^(.*)\.js(\.map)?$/.exec(relative(inProject('dist'), file));
      if (output !== null && !existsSync(inProject(`${output[1]}.ts`))) rmSync(file);
    }
  }
}

function listFiles(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? listFiles(path) : [path];
  });
}

function hash(parts) {
  const sum = createHash('sha256');
  for (const part of parts) sum.update(`${part.length}:`).update(part);
  return sum.digest('hex');
}

function readIfExists(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

const children = new Set();

/** Runs one step quietly; what it printed is shown only when it fails. */
async function run(what, command, args) {
  log(`${what} …`);
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  const timer = setInterval(() => log(`${what}: still at it after ${seconds()} s`), PROGRESS_INTERVAL_MS);
  try {
    const { code, output } = await runToEnd(command, args);
    if (code !== 0) throw new SetUpError(`${what} failed (exit code ${code}):\n${output}`);
  } finally {
    clearInterval(timer);
  }
  log(`${what}: done in ${seconds()} s`);
}

function runToEnd(command, args) {
  return new Promise((resolve, reject) => {
    const shell = command.endsWith('.cmd'); // batch files cannot be run without one
    const child = spawn(command, args, { cwd: project, stdio: ['ignore', 'pipe', 'pipe'], shell });
    children.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.once('error', (error) => reject(new SetUpError(`${command} could not be run: ${error.message}`)));
    child.once('close', (code) => {
      children.delete(child);
      resolve({ code, output });
    });
  });
}

/** `npm start` and `npm test` in the same checkout must not install over each other. */
async function whileLocked(step) {
  const lock = inProject('.data', 'setup.lock');
  mkdirSync(dirname(lock), { recursive: true });
  let isReported = false;
  while (!tryLock(lock)) {
    if (!isReported) log(`waiting for process ${readIfExists(lock)}, which is setting up the same folder`);
    isReported = true;
    await delay(LOCK_INTERVAL_MS);
  }
  const unlock = () => rmSync(lock, { force: true });
  process.once('exit', unlock);
  try {
    await step();
  } finally {
    process.removeListener('exit', unlock);
    unlock();
  }
}

function tryLock(lock) {
  try {
    const file = openSync(lock, 'wx');
    writeFileSync(file, String(process.pid));
    closeSync(file);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (isAbandoned(lock)) rmSync(lock, { force: true });
    return false;
  }
}

function isAbandoned(lock) {
  const stats = statSync(lock, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  const ageMs = Date.now() - stats.mtimeMs;
  if (ageMs > uptime() * 1000) return true; // from before the machine was started
  const pid = Number.parseInt(readIfExists(lock) ?? '', 10);
  // In a container that was started anew, this process may have the id of the one that was killed.
  return Number.isNaN(pid) ? ageMs > UNWRITTEN_LOCK_MS : pid === process.pid || !isAlive(pid);
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function endOnSignal(signal) {
  for (const child of children) child.kill(signal);
  process.exit(signal === 'SIGINT' ? 130 : 143);
}

/** The file of a command, and the arguments that are left for it. */
function find([command, ...args]) {
  const found = pick(COMMANDS, command, 'node sandbox/local/setup.mjs');
  if (typeof found !== 'object') return { file: found, args };
  return { file: pick(found, args[0], `npm run ${command} --`), args: args.slice(1) };
}

/** Where `npm run build` has built what runs beside it, an operator's command must not build it anew. */
function isForOperation(file) {
  const isOperators = file?.startsWith('dist/bundled/src/') === true;
  return isOperators && existsSync(inProject(file)) && !existsSync(inProject('dist', '.nds-built'));
}

function pick(table, name, usage) {
  if (Object.hasOwn(table, name ?? '')) return table[name];
  throw new SetUpError(`usage: ${usage} ${Object.keys(table).join(' | ')}`);
}

async function main(words) {
  const { file, args } = find(words);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, endOnSignal);
  if (!isForOperation(file)) await setUp({ tests: file?.startsWith('dist/test-programs/') });
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeListener(signal, endOnSignal);
  if (file === undefined) return;
  const entry = inProject(file);
  process.argv.splice(1, process.argv.length, entry, ...args);
  process.setSourceMapsEnabled(true);
  await import(pathToFileURL(entry).href);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof SetUpError ? error.message : error);
    process.exit(1);
  }
}
