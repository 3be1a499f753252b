import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { silent } from './processes/progress.js';
import {
  ensureTemporalBinary,
  TEMPORAL_SERVER_VERSION,
  type TemporalBinarySources,
} from './temporal-binary.js';

describe(ensureTemporalBinary.name, () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'nds-temporal-binary-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const putProgram = (file: string, content = 'program'): string => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content, { mode: 0o755 });
    return file;
  };
  const cached = (): string =>
    join(folder, 'cache', `temporal-server-${TEMPORAL_SERVER_VERSION}`, 'temporal');
  const refuse = (why: string) => () => Promise.reject(new Error(why));
  const sources = (given: Partial<TemporalBinarySources> = {}): TemporalBinarySources => ({
    env: { PATH: join(folder, 'bin') },
    cache: join(folder, 'cache'),
    download: refuse('no network'),
    goBuild: refuse('no go'),
    ...given,
  });

  it('prefers the program on the path to the cached one, if it has the wanted server', async () => {
    const write = (version: string): string =>
      putProgram(
        join(folder, 'bin', 'temporal'),
        `#!/bin/sh\necho "temporal version 1 (Server ${version}, UI 2)"`,
      );
    putProgram(cached());
    expect(await ensureTemporalBinary(silent, sources())).toBe(cached());
    const onPath = write('1.32.4');
    expect(await ensureTemporalBinary(silent, sources())).toBe(onPath);
    for (const other of ['1.29.1', '1.33.0']) {
      write(other);
      expect(await ensureTemporalBinary(silent, sources())).toBe(cached());
    }
  });

  it('builds it when it cannot be downloaded, and leaves nothing else in the cache', async () => {
    const goBuild = (temporary: string): Promise<string> =>
      Promise.resolve(putProgram(join(temporary, 'temporal'), 'built'));
    expect(await ensureTemporalBinary(silent, sources({ goBuild }))).toBe(cached());
    expect(readFileSync(cached(), 'utf8')).toBe('built');
    expect(readdirSync(join(folder, 'cache'))).toEqual([`temporal-server-${TEMPORAL_SERVER_VERSION}`]);
  });

  it('names every way when there is none', async () => {
    const failure = ensureTemporalBinary(silent, sources());
    for (const way of ['TEMPORAL_ADDRESS', 'PATH', 'no network', 'no go', cached()]) {
      await expect(failure).rejects.toThrow(way);
    }
  });
});
