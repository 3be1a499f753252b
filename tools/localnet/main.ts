import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { AlreadyRunningError, ProcessRegistry } from '../../sandbox/local/processes/process-registry.js';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { ensureAvalanchegoBinaries } from './binaries.js';
import { describeNetwork } from './describe-network.js';
import { keepL1 } from './l1/keep-l1.js';
import { L1_FLAGS } from './l1/start-l1.js';
import { MAX_NODES, startLocalNetwork } from './local-network.js';
import { makeServiceEnvironment } from './service-environment.js';

const USAGE = `npm run localnet [-- options]
  --build-only       only build avalanchego, unless it is already built
  --l1               adds an L1 with three nodes of its own, and a messenger on the L1 and on the C-chain
  --nodes <1..${MAX_NODES}>    number of running validators (all ${MAX_NODES} are in the genesis); default ${MAX_NODES}
  --port <port>      API port of the first node; default 9650, busy ports are skipped
  --data-dir <path>  default .data/localnet`;

const DEFAULT_PORT = '9650';
const SAME_SIGNAL_MS = 1_000;

const log = (text: string): void => console.error(`[localnet] ${text}`);

const { values } = parseArgs({
  options: {
    'build-only': { type: 'boolean', default: false },
    l1: { type: 'boolean', default: false },
    nodes: { type: 'string', default: String(MAX_NODES) },
    port: { type: 'string', default: DEFAULT_PORT },
    'data-dir': { type: 'string', default: join('.data', 'localnet') },
    help: { type: 'boolean', default: false },
  },
});

async function main(): Promise<void> {
  if (values.help) return console.log(USAGE);
  const binaries = await ensureAvalanchegoBinaries(log);
  if (values['build-only']) return console.log(`avalanchego is at ${binaries.avalanchego}`);

  const dataDir = resolve(projectFolder(), values['data-dir']);
  const registry = new ProcessRegistry(dataDir);
  registry.claim();
  await registry.stopOrphans(log);
  log('starting the nodes; they are healthy after about a minute …');
  const interrupted = new AbortController();
  const starting = startLocalNetwork({
    nodes: Number(values.nodes),
    dataDir,
    basePort: Number(values.port),
    flags: values.l1 ? L1_FLAGS : [],
    binaries,
    progress: log,
    signal: interrupted.signal,
    onStarted: (name, pid) => registry.register(name, pid, 'SIGTERM'),
  });
  const stopNodes = async (): Promise<void> => {
    interrupted.abort();
    await starting.then(
      (network) => network.stop(),
      () => undefined, // it has stopped what it had started
    );
    registry.release();
  };
  const stop = stopOnce(stopNodes);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal));
  try {
    const network = await starting;
    const l1 = values.l1 ? await keepL1({ network, dataDir, progress: log }) : undefined;
    console.log(describeNetwork(network, dataDir, await makeServiceEnvironment(network, dataDir, l1), l1));
  } catch (error) {
    if (interrupted.signal.aborted) return;
    await stopNodes();
    throw error;
  }
}

/** A second Ctrl-C does not wait; the first one may arrive twice, because npm passes it on. */
function stopOnce(stop: () => Promise<void>): (signal: string) => void {
  let stoppedAt: number | undefined;
  return (signal) => {
    if (stoppedAt !== undefined) {
      if (Date.now() - stoppedAt > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    stoppedAt = Date.now();
    log(`${signal}: stopping the nodes`);
    void stop().then(() => process.exit(0));
  };
}

try {
  await main();
} catch (error) {
  console.error(error instanceof AlreadyRunningError ? error.message : error);
  process.exit(1);
}
