import { chmodSync, cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from './processes/cache-folder.js';
import { findProgram, isExecutable, programFile } from './processes/find-program.js';
import { withProgress, type Progress } from './processes/progress.js';
import { runTool } from './processes/run-tool.js';
import { downloadTemporal } from './temporal-download.js';

/** Server 1.29.1. Newer modules of the command line tool replace dependencies, which `go install` refuses. */
export const TEMPORAL_CLI_VERSION = '1.5.1';

export interface TemporalBinarySources {
  env: NodeJS.ProcessEnv;
  cache: string;
  download(this: void, folder: string): Promise<string>;
  goInstall(this: void, folder: string, progress: Progress): Promise<string>;
}

const defaultSources = (): TemporalBinarySources => ({
  env: process.env,
  cache: cacheFolder(),
  download: (folder) => downloadTemporal(TEMPORAL_CLI_VERSION, folder),
  goInstall,
});

/** The Temporal command line tool, which contains the server: taken from where it is, else downloaded or built, once. */
export async function ensureTemporalBinary(
  progress: Progress,
  sources: TemporalBinarySources = defaultSources(),
): Promise<string> {
  const { env, cache } = sources;
  const cached = join(cache, `temporal-cli-${TEMPORAL_CLI_VERSION}`, programFile('temporal'));
  const found = findProgram('temporal', env.PATH) ?? (isExecutable(cached) ? cached : undefined);
  return found ?? (await obtain(cached, sources, progress));
}

async function obtain(cached: string, sources: TemporalBinarySources, progress: Progress): Promise<string> {
  const failures: string[] = [];
  const ways = [
    { name: 'download', run: sources.download },
    { name: 'go install', run: sources.goInstall },
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
    '  - the Temporal command line tool (https://docs.temporal.io/cli) as "temporal" on the PATH',
    `  - that tool, version ${TEMPORAL_CLI_VERSION}, as ${cached}`,
    '  - a connection to the internet, for its download',
    '  - Go 1.25 or newer with access to a module proxy, to build it (about three minutes)',
    'What was tried:',
    ...failures.map((failure) => `  - ${failure.replaceAll('\n', '\n    ')}`),
  ].join('\n');
}

async function goInstall(folder: string, progress: Progress): Promise<string> {
  const go = findProgram('go');
  if (go === undefined) throw new Error('there is no "go" on the PATH');
  const text = `building the Temporal server ${TEMPORAL_CLI_VERSION} with Go (once, about three minutes on two cores)`;
  progress(text);
  const build = runTool({
    command: go,
    args: ['install', `github.com/temporalio/cli/cmd/temporal@v${TEMPORAL_CLI_VERSION}`],
    cwd: folder,
    env: { ...process.env, GOBIN: folder },
  });
  await withProgress(progress, 'building the Temporal server', build);
  return join(folder, programFile('temporal'));
}
