import { appendFileSync } from 'node:fs';

/** For test/run.mjs, which ends a run in which nothing begins and nothing ends any more: the file of this name grows with each test. */
const file = process.env.NDS_TEST_PROGRESS;

export default class ProgressReporter {
  onTestFileStart() {
    note();
  }

  onTestCaseStart() {
    note();
  }

  onTestCaseResult() {
    note();
  }

  onTestFileResult() {
    note();
  }
}

function note() {
  if (file !== undefined) appendFileSync(file, '.');
}
