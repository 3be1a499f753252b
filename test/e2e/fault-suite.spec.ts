import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KINDS } from '../faults/load/request-log.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { runScript } from '../support/harness/npm-scripts.js';

interface Report {
  readonly requests: readonly { readonly kind: string }[];
  readonly verdicts: readonly { readonly what: string; readonly holds: boolean }[];
}

// Its networks have loopback addresses of their own, which only Linux gives to anybody.
const onLinux = process.platform === 'linux' ? it : it.skip;

describe('the fault suite', () => {
  onLinux('finds nothing wrong after workers were killed under load, and nothing that grows', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'nds-fault-report-'));
    onCleanup(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'report.json');
    const options = ['--small', '--only', 'kill-worker', '--soak', '0.4', '--report', file];
    const { code, stdout, stderr } = await runScript('test:faults', ...options);
    const output = code === 0 ? '' : `${stderr.slice(-3_000)}\n${stdout}`;
    expect({ code, output }).toEqual({ code: 0, output: '' });
    const { requests, verdicts } = JSON.parse(readFileSync(file, 'utf8')) as Report;
    expect(verdicts.filter(({ holds }) => !holds)).toEqual([]);
    expect(new Set(requests.map(({ kind }) => kind))).toEqual(new Set(KINDS));
  });
});
