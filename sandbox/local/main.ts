import { makeBanner } from './banner.js';
import { parseOptions } from './embedded-options.js';
import { EmbeddedService } from './embedded-service.js';
import { type Examples, fetchNodeExamples, fetchSandboxExamples } from './example-request.js';
import { AlreadyRunningError } from './processes/process-registry.js';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { UnfitDatabaseError } from '../../src/platform/database/unfit-database.js';

/** Ctrl-C reaches npm and this process, and npm passes it on: what comes so soon is the same key press. */
const SAME_SIGNAL_MS = 1_000;

// JSON lines at level info would bury the banner.
if ((process.env.LOG_LEVEL ?? '') === '') process.env.LOG_LEVEL = 'warn';

const log = (text: string): void => console.error(`[embedded] ${text}`);

let exitCode = 0;
let stopRequestedAt: number | undefined;

function stop(why: string, code: number): void {
  if (stopRequestedAt !== undefined) {
    if (performance.now() - stopRequestedAt < SAME_SIGNAL_MS) return;
    log(`${why} again: ending at once`);
    process.exit(exitCode === 0 ? 1 : exitCode);
  }
  stopRequestedAt = performance.now();
  exitCode = code;
  log(`${why}: stopping everything`);
  void service.stop().then(() => {
    log('stopped');
    process.exit(exitCode);
  });
}

const options = parseOptions(process.env, projectFolder());
const service = new EmbeddedService(options, log, (reason) => {
  console.error(reason);
  stop(reason.message, 1);
});

async function fetchExamples(): Promise<Examples | undefined> {
  const nodeUrl = process.env[`${options.exampleNetwork?.toUpperCase()}_NODE_URL`]?.split(',')[0];
  if (nodeUrl === undefined) return undefined;
  return options.sandboxNetworks.length > 0 ? fetchSandboxExamples(nodeUrl) : fetchNodeExamples(nodeUrl);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal, 0));
// The process that started this one with a channel is gone, and can no longer stop it.
process.on('disconnect', () => stop('the parent process has ended', 0));

try {
  log('starting Postgres, Temporal and the networks …');
  const servers = await service.start();
  const examples = await fetchExamples().catch(() => undefined); // a node that is away does not keep us from starting
  console.log(makeBanner({ ...servers, options, examples }));
  process.send?.({ url: servers.apiUrl });
} catch (error) {
  if (stopRequestedAt === undefined) {
    const isForPeople = error instanceof AlreadyRunningError || error instanceof UnfitDatabaseError;
    console.error(isForPeople ? error.message : error);
    await service.stop();
    process.exit(1);
  }
}
