import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { onCleanup } from '../support/harness/cleanup.js';
import { spawnProcess } from '../support/harness/processes.js';
import { createTestDatabase, createTestFolder } from '../support/harness/services.js';

const LineSchema = z.object({ level: z.string(), context: z.string(), msg: z.string() });

/** All that a process prints which cannot start. */
async function linesOf(entry: string, env: Record<string, string>) {
  const ended = await spawnProcess({ entry, env: { LOG_LEVEL: 'error', ...env } });
  expect(await ended.exited).toEqual({ code: 1, signal: null });
  const lines = ended.output.trim().split('\n');
  return lines.map((line) => LineSchema.parse(JSON.parse(line)));
}

describe('a process that cannot start', () => {
  it.each(['dist/bundled/src/main.js', 'dist/bundled/src/worker.js'])(
    'logs which settings of %s are wrong, in one line',
    async (entry) => {
      expect(await linesOf(entry, { PORT: 'many', DATABASE_URL: 'postgres://nowhere' })).toEqual([
        { level: 'fatal', context: 'Service', msg: expect.stringMatching(/^bad configuration: PORT: /) },
      ]);
    },
  );

  it('logs that its port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onCleanup(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { url } = await createTestDatabase();
    const settings = { DATABASE_URL: url, DATA_DIR: createTestFolder('data'), API_WORKER_QUEUES: '' };
    const msg = expect.stringContaining(`listen EADDRINUSE: address already in use 127.0.0.1:${port}`);
    const env = { ...settings, HOST: '127.0.0.1', PORT: String(port) };
    expect(await linesOf('dist/bundled/src/main.js', env)).toEqual([
      { level: 'error', context: 'NestApplication', msg }, // of Nest's own server
      { level: 'fatal', context: 'Service', msg },
    ]);
  });

  it("logs that its storage is another database's, in one line", async () => {
    const folder = createTestFolder('data');
    mkdirSync(join(folder, 'exports'));
    writeFileSync(join(folder, 'exports/.database'), '0'.repeat(64));
    const { url } = await createTestDatabase();
    expect(await linesOf('dist/bundled/src/main.js', { DATABASE_URL: url, DATA_DIR: folder })).toEqual([
      { level: 'fatal', context: 'Service', msg: expect.stringContaining('storage of another database') },
    ]);
  });
});
