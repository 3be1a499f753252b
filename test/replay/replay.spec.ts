import { describe, expect, it } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../src/platform/config/project-folder.js';

const folder = join(projectFolder(), 'test', 'replay');
const families = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

/** Every kept history must still be what today's workflow code would do. A red one asks for `patched()`. */
describe('the replay of recorded workflow histories', () => {
  it('covers each workflow', () => {
    expect(families).toEqual([
      'aggregate-signatures',
      'aggregation-run',
      'export-transactions',
      'index-chain',
      'index-nft-metadata',
      'refresh-native-supply',
      'roll-up-api-usage',
    ]);
  });

  it.each(families)('succeeds for %s', async (family) => {
    const names = readdirSync(join(folder, family)).filter((name) => name.endsWith('.json'));
    expect(names.length).toBeGreaterThan(0);
    const histories = names.map((name) => ({
      workflowId: name,
      history: JSON.parse(readFileSync(join(folder, family, name), 'utf8')) as object,
    }));
    const options = { workflowBundle: { codePath: join(projectFolder(), 'dist', 'workflow-bundle.js') } };
    for await (const { workflowId, error } of Worker.runReplayHistories(options, histories)) {
      expect([workflowId, error]).toEqual([workflowId, undefined]);
    }
  });
});
