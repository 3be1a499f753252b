import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../config/project-folder.js';

const RULES = 'deploy/prometheus/alerts.yml';

const read = (path: string): string => readFileSync(join(projectFolder(), path), 'utf8');

const alerts = Array.from(read(RULES).matchAll(/^ +- alert: (\w+)$/gm), ([, name = '']) => name);
const headings = Array.from(read('docs/runbook.md').matchAll(/^### (Nds\w+)$/gm), ([, name = '']) => name);

describe('docs/runbook.md', () => {
  it('has a section for each alarm and for nothing else', () => {
    expect(alerts).toContain('NdsIndexStopped');
    expect([...headings].sort()).toEqual([...alerts].sort());
  });

  it('explains in three parts what an alarm means, where to look and what to do', () => {
    for (const section of read('docs/runbook.md').split(/^### /m).slice(1)) {
      expect(section.match(/^\*\*(Means|Look|Do):\*\* /gm)).toHaveLength(3);
    }
  });
});

describe(RULES, () => {
  it('links each alarm to its place in the runbook', () => {
    const links = Array.from(read(RULES).matchAll(/runbook: docs\/runbook\.md#(\w+)$/gm), ([, link]) => link);
    expect(links).toEqual(alerts.map((name) => name.toLowerCase()));
  });
});

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

// Prometheus's own tool is no part of the set-up: where it is installed, it checks them, too.
if (hasPromtool) {
  describe('promtool', () => {
    it.each([
      ['check', RULES],
      ['test', 'deploy/prometheus/alerts.test.yml'],
    ])('finds no fault: %s rules %s', (command, file) => {
      const args = [command, 'rules', file];
      const { status, stdout, stderr } = spawnSync('promtool', args, {
        cwd: projectFolder(),
        encoding: 'utf8',
      });
      expect({ status, output: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, output: '' });
    });
  });
}
