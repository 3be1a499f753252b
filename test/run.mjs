import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { SetUpError, setUp } from '../sandbox/local/setup.mjs';
import { runCommand } from './support/harness/run-command.mjs';

/**
 * `npm test`: sets up, then the checks, then jest. `npm test -- e2e` runs one project without the checks; further
 * arguments go to jest. The last line has the totals.
 */

/**
 * Phases that run one after the other; the groups of a phase run side by side. So many workers keep two cores busy, for databases, whole
 * systems and real nodes are waited for much of the time; with more, whole systems spend the time on each other.
 */
const PHASES = [
  [{ projects: ['workflows', 'integration', 'midnight', 'replay', 'unit'], workers: 6 }],
  [
    { projects: ['e2e'], workers: 3 },
    { projects: ['localnet'], workers: 1 },
  ],
];
const PROJECTS = PHASES.flat().flatMap(({ projects }) => projects);

/** `npm test -- other-node`, and in CI beside the last phase: what differs between two versions of Node shows in these. */
const OTHER_NODE = 'other-node';
const OTHER_NODE_GROUPS = [
  { projects: ['unit', 'workflows'], workers: 1, files: [] },
  {
    projects: ['e2e'],
    workers: 1,
    files: [
      'test/e2e/aggregate-signatures.spec.ts',
      'test/e2e/client.spec.ts',
      'test/e2e/export-sandbox.spec.ts',
    ],
  },
];

/** For what hangs, not for a slow machine: a run in which no test has begun or ended, where each has 15 minutes, and a check. */
const STANDSTILL_MINUTES = 20;
const CHECK_LIMIT_MINUTES = 30;
/** Two rows, side by side; the linter takes as long as all others. */
const CHECKS = [
  [{ name: 'lint', file: 'eslint/bin/eslint.js', args: ['.'] }],
  [
    { name: 'format', file: 'prettier/bin/prettier.cjs', args: ['--check', '.'] },
    { name: 'types', file: 'typescript/bin/tsc', args: ['-p', 'tsconfig.test.json'] },
    { name: 'unused', file: 'knip/bin/knip.js', args: [] },
    { name: 'unused but by tests', file: 'knip/bin/knip.js', args: ['--production'] },
    {
      name: 'import rules',
      file: 'dependency-cruiser/bin/dependency-cruise.mjs',
      args: [
        '--config',
        '.dependency-cruiser.cjs',
        'src',
        'sandbox',
        'workflows',
        'activities',
        'tools',
        'test',
        'clients',
      ],
    },
  ],
];

const SLOWEST_SHOWN = 12;
const FAILURE_LINES = 20;

const isCi = process.env.CI === 'true';
const totals = { passed: 0, failed: 0, skipped: 0 };
/** Each with its first lines, once more at the end: what a long run printed on its way is often cut. */
const failures = [];

const inModules = (file) => join(import.meta.dirname, '..', 'node_modules', file);
const inDist = (file) => new URL(`../dist/${file}`, import.meta.url).href;

async function main(args) {
  const only = [...PROJECTS, OTHER_NODE].includes(args[0]) ? args[0] : undefined;
  const jestArgs = only === undefined ? args : args.slice(1);

  await setUp({ tests: true });
  await forgetConfiguration();
  const isWhole = only === undefined;
  if (isWhole) await Promise.all(CHECKS.map(runChecks));
  const phases = PHASES.map((groups) =>
    groups.flatMap(({ projects, workers }) => {
      const chosen = projects.filter((project) => isWhole || project === only);
      return chosen.length === 0 ? [] : [{ projects: chosen, workers, jestArgs }];
    }),
  );
  const isOnOtherNode = only === OTHER_NODE || (isCi && isWhole);
  const onOtherNode = isOnOtherNode ? await groupsOnOtherNode(jestArgs) : [];
  for (const [index, groups] of phases.entries()) {
    await runPhase(groups, index === phases.length - 1 ? onOtherNode : []);
  }
  if (isCi && totals.skipped > 0) {
    fail(`${totals.skipped} skipped: in CI every test has to run`);
  }
  if (totals.passed + totals.failed === 0) fail('no test has run');
}

/** Tests must not find what the person at this machine has configured for the service. */
async function forgetConfiguration() {
  const { EnvSchema } = await import(inDist('src/platform/config/env.schema.js'));
  for (const name of Object.keys(EnvSchema.shape)) if (name !== 'LOG_LEVEL') delete process.env[name];
  process.env.LOG_LEVEL ??= 'error';
}

function fail(why) {
  console.error(`FAIL ${why}`);
  failures.push(why);
  totals.failed += 1;
}

async function runChecks(row) {
  for (const check of row) await runCheck(check);
}

async function runCheck({ name, file, args }) {
  const startedAt = Date.now();
  const result = await runCommand(process.execPath, [inModules(file), ...args], {
    limitMs: CHECK_LIMIT_MINUTES * 60_000,
    quiet: true,
  });
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  if (result.code === 0) {
    console.log(`PASS check: ${name} (${seconds} s)`);
    totals.passed += 1;
  } else {
    console.log(result.output);
    fail(`check: ${name} (${seconds} s) ${result.why}`);
  }
}

/** The services that are started run on it, too. */
async function groupsOnOtherNode(jestArgs) {
  const { ensureOtherNode } = await import(inDist('test-programs/support/harness/other-node.js'));
  const { version, executable: node } = await ensureOtherNode();
  return OTHER_NODE_GROUPS.map(({ files, ...group }) => ({
    ...group,
    jestArgs: [...files, ...jestArgs],
    node,
    title: `On Node ${version}:\n`,
  }));
}

/**
 * The first group's output is shown as it comes, that of the others when they end: mixed, nobody could read them. Those on the other Node
 * run one after the other.
 */
async function runPhase(groups, onOtherNode) {
  const projects = [...groups, ...onOtherNode].flatMap((group) => group.projects);
  if (projects.some((project) => project !== 'unit' && project !== 'replay')) await ensureTemporal();
  const hasNodes = projects.includes('localnet') && (await ensureAvalanchego());
  const run = (group) => {
    const canRun = hasNodes || !group.projects.includes('localnet');
    return runGroup({ ...group, canRun, quiet: group !== groups[0] });
  };
  const oneByOne = async () => {
    for (const group of onOtherNode) await run(group);
  };
  await Promise.all([...groups.map(run), oneByOne()]);
}

async function runGroup({ projects, workers, jestArgs, canRun, quiet, node = process.execPath, title = '' }) {
  const folder = mkdtempSync(join(tmpdir(), 'nds-results-'));
  const results = join(folder, 'results.json');
  const progress = join(folder, 'progress');
  try {
    const { code, why, output } = await runJest({
      node,
      projects,
      quiet,
      results,
      progress,
      args: [
        workers === 1 ? '--runInBand' : `--maxWorkers=${workers}`,
        ...(canRun ? [] : LIST_AS_SKIPPED),
        ...jestArgs,
      ],
      env: canRun ? {} : { NDS_TEST_WITHOUT_SERVICES: '1' },
    });
    process.stderr.write(`${title}${output}`);
    count(results, code, `jest ${projects.join(', ')} ${why}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A name that no test has: all are counted as skipped, and no hook runs. */
const LIST_AS_SKIPPED = ['--testNamePattern', '$never^'];

function runJest({ node, projects, quiet, results, progress, args, env }) {
  const command = [
    ...['--experimental-vm-modules', '--no-warnings', inModules('jest/bin/jest.js')],
    ...['-c', 'test/jest.config.mjs', '--selectProjects', ...projects],
    ...['--passWithNoTests', '--json', `--outputFile=${results}`, ...(isCi ? ['--ci'] : []), ...args],
  ];
  return runCommand(node, command, {
    limitMs: STANDSTILL_MINUTES * 60_000,
    env: { ...process.env, NDS_TEST_PROGRESS: progress, ...env },
    quiet,
    stdout: 'ignore', // the JSON; what people read comes on the error stream
    resultFile: results,
    progressFile: progress,
  });
}

function count(results, code, what) {
  if (!existsSync(results)) {
    fail(what);
    return;
  }
  const report = JSON.parse(readFileSync(results, 'utf8'));
  totals.passed += report.numPassedTests;
  totals.failed += report.numFailedTests;
  totals.skipped += report.numPendingTests + report.numTodoTests;
  printSlowFiles(report);
  for (const suite of report.testResults) {
    for (const { status, fullName, failureMessages } of suite.assertionResults) {
      if (status !== 'failed') continue;
      failures.push(`${relative(process.cwd(), suite.name)} ${fullName}\n${beginning(failureMessages)}`);
    }
    if (suite.status === 'failed' && suite.assertionResults.every(({ status }) => status !== 'failed')) {
      fail(`${suite.name} could not be run`);
    }
  }
  if (code !== 0 && report.success) fail(what);
}

function beginning(messages) {
  const lines = stripVTControlCharacters(messages.join('\n')).split('\n');
  return lines
    .filter((line) => !line.includes('/node_modules/jest-'))
    .slice(0, FAILURE_LINES)
    .map((line) => `    ${line}`)
    .join('\n');
}

/** Where a quicker run would have to begin. */
function printSlowFiles({ testResults }) {
  const files = testResults.map(({ name, startTime, endTime, assertionResults }) => ({
    name: relative(process.cwd(), name),
    seconds: (endTime - startTime) / 1000,
    tests: assertionResults.toSorted((a, b) => (b.duration ?? 0) - (a.duration ?? 0)),
  }));
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST_SHOWN);
  if (files.length <= SLOWEST_SHOWN) return;
  console.error('Slowest files, each with its slowest tests:');
  for (const { name, seconds, tests } of slowest) {
    console.error(`  ${seconds.toFixed(0)} s ${name}`);
    for (const { title, duration } of tests.slice(0, 3)) {
      console.error(`    ${((duration ?? 0) / 1000).toFixed(1)} s ${title}`);
    }
  }
}

/** Ahead of jest, so that building it takes nobody's time limit. */
async function ensureTemporal() {
  const { ensureTemporalBinary } = await import(inDist('sandbox/local/temporal-binary.js'));
  await ensureTemporalBinary((text) => console.error(`[set-up] ${text}`));
}

/** Builds the nodes in CI. Elsewhere that is left to the person: it takes six minutes, once. */
async function ensureAvalanchego() {
  const { ensureAvalanchegoBinaries, findAvalanchegoBinaries } = await import(
    inDist('tools/localnet/binaries.js')
  );
  const binaries = isCi
    ? await ensureAvalanchegoBinaries((text) => console.error(`[set-up] ${text}`))
    : findAvalanchegoBinaries();
  if (binaries !== undefined) {
    const { major, minor, patch } = binaries.version;
    console.error(`Real nodes: avalanchego ${major}.${minor}.${patch}`);
    return true;
  }
  console.error(
    [
      '',
      '  The tests against real avalanchego nodes are SKIPPED: the nodes are not built yet.',
      '  Build them once (about six minutes, Go needed):   npm run localnet -- --build-only',
      '',
    ].join('\n'),
  );
  return false;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof SetUpError ? error.message : error);
  fail('the run was broken off');
}
for (const failure of failures) console.log(`FAILED ${failure}`);
const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`);
process.exit(totals.failed === 0 ? 0 : 1);
