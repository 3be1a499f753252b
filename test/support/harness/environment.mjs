import { AsyncLocalStorage } from 'node:async_hooks';
import { Script } from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

/** What fake timers and the midnight project replace, what V8 knows without a look, and what is no plain value. */
const LEFT_ALONE = new Set(['Date', 'console', 'globalThis', 'undefined', 'NaN', 'Infinity', 'eval']);
const OF_NODE = [
  'AbortController',
  'AbortSignal',
  'Buffer',
  'TextDecoder',
  'TextEncoder',
  'URL',
  'URLSearchParams',
  'process',
  'structuredClone',
];

/**
 * A context of `node:vm` asks its host for each use of a global: 200 ns for a `BigInt(…)` or a `Math.floor`, sixty times what it
 * costs outside. A constant of the context's scripts by the same name is found first, and at once.
 */
const CONSTANTS = new Script(`const { ${names().join(', ')} } = globalThis;`);

function names() {
  const ofLanguage = new Script('Object.getOwnPropertyNames(globalThis)').runInNewContext();
  return [...ofLanguage.filter((name) => !LEFT_ALONE.has(name)), ...OF_NODE];
}

/**
 * Node before 24 looks at each storage that was ever used whenever a promise is made, and jest makes one for each spec file: after a
 * hundred of them, a spec takes ten times as long.
 */
const storages = new Set();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...args) {
  storages.add(this);
  return run.apply(this, args);
};

export default class Environment extends TestEnvironment {
  constructor(...args) {
    super(...args);
    CONSTANTS.runInContext(this.getVmContext());
  }

  async teardown() {
    for (const storage of storages) storage.disable();
    storages.clear();
    await super.teardown();
  }

  /** Reports a failed test to the helper for child processes, so that it shows what they printed (see processes.ts). */
  handleTestEvent(event) {
    const failed = event.name === 'test_done' && event.test.errors.length > 0;
    if (failed || event.name === 'hook_failure') this.global.dumpProcesses?.();
  }
}
