import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  cacheFolder,
  findProgram,
  isExecutable,
  programFile,
  projectFolder,
  runTool,
  withProgress,
  type Progress,
} from '../embedded/binaries.js';

/** Also in `avalanchego/go.mod`, which pins it and all that it is built of. */
export const AVALANCHEGO_VERSION = '1.14.2';

/** Id of the subnet-evm VM: the file name that a plugin must have. */
const SUBNET_EVM_ID = 'srEXiWaHuhNyGwPUi444Tu47ZEDwxTWrbQiuD7FmgSAQ6X7Dy';

const MODULE = 'github.com/ava-labs/avalanchego';

/** As a node names it: `avalanchego/1.15.0`. */
const VERSION_TEXT = /^avalanchego\/(\d+)\.(\d+)\.(\d+)\b/;

const VERSION_TIMEOUT_MS = 10_000;

export interface AvalanchegoVersion {
  major: number;
  minor: number;
  patch: number;
}

export interface AvalanchegoBinaries {
  avalanchego: string;
  version: AvalanchegoVersion;
  pluginFolder: string;
  /** Keys of the validators in the genesis of network id 12345: `stakerN.crt`, `stakerN.key`, `signerN.key`. */
  stakingFolder: string;
}

/** The built binaries if they are there: AVALANCHEGO_PATH and AVALANCHEGO_PLUGIN_DIR go before the cache. */
export function findAvalanchegoBinaries(): AvalanchegoBinaries | undefined {
  const cached = binariesIn(join(cacheFolder(), `avalanchego-${AVALANCHEGO_VERSION}`));
  const own = process.env.AVALANCHEGO_PATH;
  if (!existsSync(join(cached.stakingFolder, 'staker5.key'))) return undefined;
  if (own !== undefined && own !== '') {
    if (!isExecutable(own)) throw new Error(`AVALANCHEGO_PATH is ${own}, which is not a program`);
    return {
      ...cached,
      avalanchego: own,
      version: askVersion(own),
      pluginFolder: ownPluginFolder() ?? cached.pluginFolder,
    };
  }
  return isExecutable(cached.avalanchego) && isExecutable(join(cached.pluginFolder, SUBNET_EVM_ID))
    ? cached
    : undefined;
}

/** Plugins speak one version of a protocol with the node: one from elsewhere brings its own. */
function ownPluginFolder(): string | undefined {
  const own = process.env.AVALANCHEGO_PLUGIN_DIR;
  if (own === undefined || own === '') return undefined;
  if (isExecutable(join(own, SUBNET_EVM_ID))) return own;
  throw new Error(`AVALANCHEGO_PLUGIN_DIR is ${own}, which has no plugin ${SUBNET_EVM_ID}`);
}

/** Builds the node, its EVM plugin and takes over the keys, once per version. Needs Go and a C compiler. */
export async function ensureAvalanchegoBinaries(progress: Progress): Promise<AvalanchegoBinaries> {
  const found = findAvalanchegoBinaries();
  if (found !== undefined) return found;
  const go = findProgram('go');
  if (go === undefined) {
    throw new Error(
      'building avalanchego needs Go 1.25 or newer (https://go.dev/dl), and there is no "go" on the PATH',
    );
  }
  const target = join(cacheFolder(), `avalanchego-${AVALANCHEGO_VERSION}`);
  mkdirSync(dirname(target), { recursive: true });
  const temporary = mkdtempSync(`${target}-`);
  try {
    await build(go, binariesIn(temporary), progress);
    // All at once, so that nobody ever finds half of it. What another process built meanwhile is as good.
    rmSync(target, { recursive: true, force: true });
    renameSync(temporary, target);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return binariesIn(target);
}

function binariesIn(folder: string): AvalanchegoBinaries {
  return {
    avalanchego: join(folder, programFile('avalanchego')),
    version: parseVersion(`avalanchego/${AVALANCHEGO_VERSION}`),
    pluginFolder: join(folder, 'plugins'),
    stakingFolder: join(folder, 'staking'),
  };
}

/** What the program says it is; not every node runs the version that is built here. */
function askVersion(program: string): AvalanchegoVersion {
  return parseVersion(
    execFileSync(program, ['--version'], { encoding: 'utf8', timeout: VERSION_TIMEOUT_MS }),
  );
}

function parseVersion(text: string): AvalanchegoVersion {
  const [, major, minor, patch] = VERSION_TEXT.exec(text) ?? [];
  if (major === undefined) throw new Error(`"${text}" is no version of avalanchego`);
  return { major: Number(major), minor: Number(minor), patch: Number(patch) };
}

async function build(go: string, binaries: AvalanchegoBinaries, progress: Progress): Promise<void> {
  const cwd = join(projectFolder(), 'src', 'localnet', 'avalanchego');
  const run = async (what: string, args: readonly string[]): Promise<string> => {
    progress(`${what} …`);
    return withProgress(progress, what, runTool({ command: go, args, cwd }));
  };
  const version = `avalanchego ${AVALANCHEGO_VERSION}`;
  await run(`downloading the sources of ${version}`, ['mod', 'download']);
  await run(`building ${version} (once, about four minutes on two cores)`, [
    ...['build', '-o', binaries.avalanchego, `${MODULE}/main`],
  ]);
  await run('building its subnet-evm plugin (about a minute)', [
    ...['build', '-o', join(binaries.pluginFolder, SUBNET_EVM_ID), `${MODULE}/graft/subnet-evm/plugin`],
  ]);
  const moduleFolder = await run('looking for its keys', ['list', '-m', '-f', '{{.Dir}}', MODULE]);
  // Files of the module cache are read-only, and so is what Node copies of them.
  cpSync(join(moduleFolder, 'staking', 'local'), binaries.stakingFolder, { recursive: true });
}
