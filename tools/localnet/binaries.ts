import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../../sandbox/local/processes/cache-folder.js';
import { isExecutable, programFile } from '../../sandbox/local/processes/find-program.js';
import { GO_BUILD, goTool, type GoTool } from '../../sandbox/local/processes/go-tool.js';
import { type Progress } from '../../sandbox/local/processes/progress.js';

/** Also in `avalanchego/go.mod`, which pins it and all that it is built of. */
const AVALANCHEGO_VERSION = '1.14.2';

/** Id of the subnet-evm VM: the file name that a plugin must have. */
const SUBNET_EVM_ID = 'srEXiWaHuhNyGwPUi444Tu47ZEDwxTWrbQiuD7FmgSAQ6X7Dy';

const MODULE = 'github.com/ava-labs/avalanchego';

/** As a node names it: `avalanchego/1.15.0`. */
const VERSION_TEXT = /^avalanchego\/(\d+)\.(\d+)\.(\d+)\b/;

const VERSION_TIMEOUT_MS = 120_000;

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

/** The binaries if they are there: AVALANCHEGO_PATH, and the plugins beside it, go before what was built. */
export function findAvalanchegoBinaries(): AvalanchegoBinaries | undefined {
  const built = builtBinaries();
  if (!existsSync(join(built.stakingFolder, 'staker5.key'))) return undefined;
  const own = ownBinaries(built);
  if (own !== undefined) return own;
  const isBuilt = isExecutable(built.avalanchego) && isExecutable(pluginIn(built.pluginFolder));
  return isBuilt ? built : undefined;
}

function ownBinaries(built: AvalanchegoBinaries): AvalanchegoBinaries | undefined {
  const avalanchego = process.env.AVALANCHEGO_PATH;
  if (avalanchego === undefined || avalanchego === '') return undefined;
  if (!isExecutable(avalanchego)) {
    throw new Error(`AVALANCHEGO_PATH is ${avalanchego}, which is not a program`);
  }
  const pluginFolder = pluginFolderBeside(avalanchego) ?? built.pluginFolder;
  mkdirSync(pluginFolder, { recursive: true }); // a node looks into it, and needs no plugin for the primary network
  return { ...built, avalanchego, version: askVersion(avalanchego), pluginFolder };
}

/** Plugins speak one version of a protocol with the node: one from elsewhere brings its own. */
function pluginFolderBeside(avalanchego: string): string | undefined {
  const folder = join(dirname(avalanchego), 'plugins');
  return isExecutable(pluginIn(folder)) ? folder : undefined;
}

/** Builds the node and its EVM plugin and takes over the keys, once per version. Needs Go and a C compiler. */
export async function ensureAvalanchegoBinaries(progress: Progress): Promise<AvalanchegoBinaries> {
  const found = findAvalanchegoBinaries();
  if (found !== undefined) return found;
  const go = goTool(join('localnet', 'avalanchego'), progress);
  const built = builtBinaries();
  await go(`downloading the sources of avalanchego ${AVALANCHEGO_VERSION}`, ['mod', 'download']);
  const moduleFolder = await go('looking for its keys', ['list', '-m', '-f', '{{.Dir}}', MODULE]);
  await makeFolder(built.stakingFolder, async (folder) => {
    // Files of the module cache are read-only, and so is what Node copies of them.
    cpSync(join(moduleFolder, 'staking', 'local'), folder, { recursive: true });
  });
  const withKeys = findAvalanchegoBinaries();
  if (withKeys !== undefined) return withKeys;
  if (!isExecutable(built.avalanchego)) {
    await makeFolder(dirname(built.avalanchego), (folder) => buildNode(go, folder));
  }
  if (!isExecutable(pluginIn(built.pluginFolder))) {
    await makeFolder(built.pluginFolder, (folder) => buildPlugin(go, folder));
  }
  return built;
}

/** All at once, so that nobody ever finds half of it. What another process made meanwhile is as good. */
async function makeFolder(folder: string, fill: (temporary: string) => Promise<void>): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true });
  const temporary = mkdtempSync(`${folder}-`);
  try {
    await fill(temporary);
    rmSync(folder, { recursive: true, force: true });
    renameSync(temporary, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function builtBinaries(): AvalanchegoBinaries {
  const cached = (name: string): string => join(cacheFolder(), `${name}-${AVALANCHEGO_VERSION}`);
  return {
    avalanchego: nodeIn(cached('avalanchego')),
    version: parseVersion(`avalanchego/${AVALANCHEGO_VERSION}`),
    pluginFolder: cached('subnet-evm'),
    // The same of all versions, and needed beside any binary.
    stakingFolder: join(cacheFolder(), 'avalanchego-staking'),
  };
}

function nodeIn(folder: string): string {
  return join(folder, programFile('avalanchego'));
}

function pluginIn(folder: string): string {
  return join(folder, SUBNET_EVM_ID);
}

/** The program's version; not every node runs the version that is built here. */
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

async function buildNode(go: GoTool, folder: string): Promise<void> {
  await go(`building avalanchego ${AVALANCHEGO_VERSION} (once, about four minutes on two cores)`, [
    ...GO_BUILD,
    ...['-o', nodeIn(folder), `${MODULE}/main`],
  ]);
}

async function buildPlugin(go: GoTool, folder: string): Promise<void> {
  await go('building its subnet-evm plugin (about a minute)', [
    ...GO_BUILD,
    ...['-o', pluginIn(folder), './subnet-evm'],
  ]);
}
