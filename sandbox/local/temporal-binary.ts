import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from './processes/cache-folder.js';
import { findProgram, isExecutable, programFile } from './processes/find-program.js';
import { GO_BUILD, goTool } from './processes/go-tool.js';
import type { Progress } from './processes/progress.js';
import { downloadTemporal } from './temporal-download.js';

/** Also in `tools/temporal/go.mod`, which pins it and all that it is built of. */
export const TEMPORAL_SERVER_VERSION = '1.32.1';

/** The release of the command line tool with this minor version of the server. */
const TEMPORAL_CLI_VERSION = '1.9.1';

/** Of the tool and of our own build: the tables are those of one minor version. */
const VERSION_TEXT = /\(Server 1\.32\./;

const VERSION_TIMEOUT_MS = 10_000;

export interface TemporalBinarySources {
  env: NodeJS.ProcessEnv;
  cache: string;
  download(this: void, folder: string): Promise<string>;
  goBuild(this: void, folder: string, progress: Progress): Promise<string>;
}

const defaultSources = (): TemporalBinarySources => ({
  env: process.env,
  cache: cacheFolder(),
  download: (folder) => downloadTemporal(TEMPORAL_CLI_VERSION, folder),
  goBuild,
});

/**
 * A program that understands `temporal server start-dev`: the command line tool, or our own in `tools/temporal`. Taken from where it is,
 * else downloaded or built, once.
 */
export async function ensureTemporalBinary(
  progress: Progress,
  sources: TemporalBinarySources = defaultSources(),
): Promise<string> {
  const { env, cache } = sources;
  const onPath = findProgram('temporal', env.PATH);
  if (onPath !== undefined) {
    if (isWantedVersion(onPath)) return onPath;
    progress(`${onPath} is passed over: it has no Temporal server ${TEMPORAL_SERVER_VERSION}`);
  }
  const cached = join(cache, `temporal-server-${TEMPORAL_SERVER_VERSION}`, programFile('temporal'));
  return isExecutable(cached) ? cached : await obtain(cached, sources, progress);
}

function isWantedVersion(program: string): boolean {
  try {
    return VERSION_TEXT.test(
      execFileSync(program, ['--version'], { encoding: 'utf8', timeout: VERSION_TIMEOUT_MS }),
    );
  } catch {
    return false;
  }
}

async function obtain(cached: string, sources: TemporalBinarySources, progress: Progress): Promise<string> {
  const failures: string[] = [];
  const ways = [
    { name: 'download', run: sources.download },
    { name: 'go build', run: sources.goBuild },
  ];
  for (const way of ways) {
    mkdirSync(dirname(dirname(cached)), { recursive: true });
    const temporary = mkdtempSync(join(dirname(dirname(cached)), 'temporal-'));
    try {
      putInPlace(await way.run(temporary, progress), cached);
      return cached;
    } catch (error) {
      failures.push(`${way.name}: ${error instanceof Error ? error.message : String(error)}`);
      progress(`the Temporal server could not be had by ${way.name}`);
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  }
  throw new Error(explain(cached, failures));
}

/** By renaming, so that an incomplete program is never visible. */
function putInPlace(file: string, cached: string): void {
  chmodSync(file, 0o755);
  mkdirSync(dirname(cached), { recursive: true });
  const staged = `${cached}.${process.pid}`;
  cpSync(file, staged);
  renameSync(staged, cached);
}

function explain(cached: string, failures: readonly string[]): string {
  return [
    'there is no Temporal server to start. Any one of these helps:',
    '  - TEMPORAL_ADDRESS=host:port of a Temporal server that runs already',
    `  - the Temporal command line tool ${TEMPORAL_CLI_VERSION} (https://docs.temporal.io/cli) as "temporal" on the PATH, or as ${cached}`,
    '  - a connection to the internet, for its download',
    '  - Go 1.21 or newer with access to a module proxy, to build it (about two minutes)',
    'What was tried:',
    ...failures.map((failure) => `  - ${failure.replaceAll('\n', '\n    ')}`),
  ].join('\n');
}

async function goBuild(folder: string, progress: Progress): Promise<string> {
  const program = join(folder, programFile('temporal'));
  const go = goTool('temporal', progress, { CGO_ENABLED: '0' });
  await go(
    `building the Temporal server ${TEMPORAL_SERVER_VERSION} with Go (once, about two minutes on two cores)`,
    [...GO_BUILD, '-o', program, '.'],
  );
  return program;
}
