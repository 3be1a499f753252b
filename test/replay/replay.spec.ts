import { describe, expect, it } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import * as workflows from '../../workflows/index.js';
import { HISTORIES_FOLDER, historyFamily } from '../support/harness/histories.js';

const families = Object.keys(workflows).map(historyFamily).sort();

/** Every kept history must still be what today's workflow code would do. A red one of a released workflow asks for `patched()`. */
describe('the replay of recorded workflow histories', () => {
  it('covers the workflows of the bundle and nothing else', () => {
    const folders = readdirSync(HISTORIES_FOLDER, { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    expect(folders.map(({ name }) => name).sort()).toEqual(families);
  });

  it.each(families)('succeeds for %s', async (family) => {
    const folder = join(HISTORIES_FOLDER, family);
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
    expect(names).not.toEqual([]);
    const histories = names.map((name) => ({
      workflowId: name,
      history: JSON.parse(readFileSync(join(folder, name), 'utf8')) as object,
    }));
    const options = { workflowBundle: { codePath: join(projectFolder(), 'dist', 'workflow-bundle.js') } };
    for await (const { workflowId, error } of Worker.runReplayHistories(options, histories)) {
      expect([workflowId, error]).toEqual([workflowId, undefined]);
    }
  });
});
