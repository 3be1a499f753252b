import { TestEnvironment } from 'jest-environment-node';

/** Reports a failed test to the helper for child processes, so that it shows what they printed (see processes.ts). */
export default class ProcessDumpingEnvironment extends TestEnvironment {
  handleTestEvent(event) {
    const failed = event.name === 'test_done' && event.test.errors.length > 0;
    if (failed || event.name === 'hook_failure') this.global.dumpProcesses?.();
  }
}
