import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { SWC_OPTIONS } from './support/harness/swc-options.mjs';

/**
 * One jest run, seven projects: the folder selects the project, and `midnight` has some of another one's specs at another time.
 * ESM throughout (Nest 12 and noble 2 ship nothing else), hence `--experimental-vm-modules` in run.mjs.
 */
const rootDir = dirname(import.meta.dirname);

const EQUALITY = '<rootDir>/test/support/harness/equality.ts';

const base = {
  rootDir,
  testEnvironment: '<rootDir>/test/support/harness/environment.mjs',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': ['@swc/jest', SWC_OPTIONS],
  },
  setupFilesAfterEnv: [EQUALITY],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.data/'],
};

/** One Postgres and one Temporal server for the whole run; the output of child processes is shown when a test fails. */
const withServices = {
  globalSetup: '<rootDir>/test/support/harness/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/harness/global-teardown.mjs',
  setupFilesAfterEnv: [EQUALITY, '<rootDir>/test/support/harness/timeout.ts'], // testTimeout is heeded outside of projects only
};

/** Specs of integration for which it matters what day it is: the `midnight` project runs them again while a day ends. */
const CALENDAR = [
  'api-usage',
  'expired-exports',
  'export-quotas',
  'index-freshness',
  'operations-requests',
  'rate-limits',
  'transaction-export-activity',
  'transaction-export-days',
];

/** Packages of most systems have it; tests do not install any, and the spec that needs it does not count where there is none. */
const pgbouncer = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  .map((folder) => join(folder, 'pgbouncer'))
  .find((file) => existsSync(file));

const project = (displayName, testMatch, extra = {}) => ({ ...base, displayName, testMatch, ...extra });

export default {
  rootDir,
  reporters: ['default', '<rootDir>/test/support/harness/progress-reporter.mjs'],
  // The limit finds a test that hangs, not a busy machine; projects with services have longer.
  testTimeout: 30_000,
  projects: [
    project('unit', [
      '<rootDir>/src/**/*.spec.ts',
      '<rootDir>/sandbox/**/*.spec.ts',
      '<rootDir>/workflows/**/*.spec.ts',
      '<rootDir>/activities/**/*.spec.ts',
      '<rootDir>/tools/**/*.spec.ts',
      '<rootDir>/clients/**/*.spec.ts',
    ]),
    project('integration', ['<rootDir>/test/integration/**/*.spec.ts'], {
      ...withServices,
      testPathIgnorePatterns: pgbouncer === undefined ? ['/pgbouncer.spec.ts$'] : [],
      globals: { PGBOUNCER: pgbouncer },
    }),
    project(
      'midnight',
      CALENDAR.map((name) => `<rootDir>/test/integration/${name}.spec.ts`),
      {
        ...withServices,
        testEnvironment: '<rootDir>/test/support/harness/midnight-environment.mjs',
      },
    ),
    project('workflows', ['<rootDir>/test/workflows/**/*.spec.ts'], withServices),
    project('replay', ['<rootDir>/test/replay/**/*.spec.ts']),
    project('e2e', ['<rootDir>/test/e2e/**/*.spec.ts'], withServices),
    project('localnet', ['<rootDir>/test/localnet/**/*.spec.ts'], withServices),
  ],
};
