import { X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeIdFromCertificate, nodeIdToString } from '../avalanche/ids/node-id.js';
import { choosePort, freePort, silent, type Progress } from '../embedded/binaries.js';
import { ensureAvalanchegoBinaries, type AvalanchegoBinaries } from './binaries.js';
import { LocalNode } from './local-node.js';

/** As many validators as the genesis of network id 12345 has; all with the same weight. */
export const MAX_NODES = 5;

/** More open files than one node of so small a network needs, fewer than most systems allow. */
const FILE_LIMIT = 8192;

export interface LocalNetworkOptions {
  nodes?: number;
  dataDir: string;
  /** Wanted port of the first node, the others above it; without it any free ones. */
  basePort?: number;
  /** Further flags for every node. */
  flags?: readonly string[];
  binaries?: AvalanchegoBinaries;
  progress?: Progress;
  /** Gives up waiting, and stops what has been started. */
  signal?: AbortSignal;
  onStarted?: (name: string, pid: number) => void;
}

export interface LocalNetwork {
  nodes: readonly LocalNode[];
  /** Of the first node. */
  url: string;
  stop(): Promise<void>;
}

interface Ports {
  http: number;
  staking: number;
}

/** Starts a network of real nodes on loopback and waits until each is healthy, which takes about a minute. */
export async function startLocalNetwork(options: LocalNetworkOptions): Promise<LocalNetwork> {
  const progress = options.progress ?? silent;
  const binaries = options.binaries ?? (await ensureAvalanchegoBinaries(progress));
  const nodes = await createNodes(options, binaries);
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop()));
  };
  const failed = new AbortController();
  const signal = AbortSignal.any([failed.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  try {
    await Promise.all(nodes.map((node) => node.start()));
    const waits = nodes.map(async (node) => {
      await node.waitUntilHealthy(signal);
      progress(`${node.nodeId} is healthy`);
    });
    await Promise.all(waits);
  } catch (error) {
    failed.abort();
    await stop();
    throw error;
  }
  const [first] = nodes;
  if (first === undefined) throw new RangeError('a network has at least one node');
  return { nodes, url: first.url, stop };
}

async function createNodes(
  options: LocalNetworkOptions,
  binaries: AvalanchegoBinaries,
): Promise<LocalNode[]> {
  const count = options.nodes ?? MAX_NODES;
  if (count < 1 || count > MAX_NODES) throw new RangeError(`a local network has 1 to ${MAX_NODES} nodes`);
  const nodes: LocalNode[] = [];
  let bootstrap: { nodeId: string; stakingPort: number } | undefined;
  for (let number = 1; number <= count; number += 1) {
    const ports = await choosePorts(options.basePort);
    const node = createNode({ number, options, binaries, ports, bootstrap });
    bootstrap ??= node;
    nodes.push(node);
  }
  return nodes;
}

async function choosePorts(basePort: number | undefined): Promise<Ports> {
  if (basePort === undefined) return { http: await freePort(), staking: await freePort() };
  const http = await choosePort(basePort);
  return { http, staking: await choosePort(http + 1) };
}

function createNode(given: {
  number: number;
  options: LocalNetworkOptions;
  binaries: AvalanchegoBinaries;
  ports: Ports;
  bootstrap: { nodeId: string; stakingPort: number } | undefined;
}): LocalNode {
  const { number, options, binaries, ports } = given;
  const name = `node${number}`;
  const dataFolder = join(options.dataDir, name);
  mkdirSync(dataFolder, { recursive: true });
  return new LocalNode({
    name,
    nodeId: readNodeId(join(binaries.stakingFolder, `staker${number}.crt`)),
    binary: binaries.avalanchego,
    flags: [...makeFlags({ ...given, dataFolder }), ...(options.flags ?? [])],
    dataFolder,
    httpPort: ports.http,
    stakingPort: ports.staking,
    onStarted: (pid) => options.onStarted?.(name, pid),
  });
}

function makeFlags(given: {
  number: number;
  binaries: AvalanchegoBinaries;
  ports: Ports;
  bootstrap: { nodeId: string; stakingPort: number } | undefined;
  dataFolder: string;
}): string[] {
  const { number, binaries, ports, bootstrap, dataFolder } = given;
  const { stakingFolder } = binaries;
  return [
    '--network-id=local',
    `--data-dir=${dataFolder}`,
    `--plugin-dir=${binaries.pluginFolder}`,
    `--fd-limit=${FILE_LIMIT}`,
    '--public-ip=127.0.0.1',
    '--http-host=127.0.0.1',
    `--http-port=${ports.http}`,
    '--staking-host=127.0.0.1',
    `--staking-port=${ports.staking}`,
    `--staking-tls-cert-file=${join(stakingFolder, `staker${number}.crt`)}`,
    `--staking-tls-key-file=${join(stakingFolder, `staker${number}.key`)}`,
    `--staking-signer-key-file=${join(stakingFolder, `signer${number}.key`)}`,
    `--bootstrap-ids=${bootstrap?.nodeId ?? ''}`,
    `--bootstrap-ips=${bootstrap === undefined ? '' : `127.0.0.1:${bootstrap.stakingPort}`}`,
    '--index-enabled=true',
    '--log-display-level=warn', // all of it is in the node's own log files
  ];
}

function readNodeId(certificateFile: string): string {
  const { raw } = new X509Certificate(readFileSync(certificateFile));
  return nodeIdToString(nodeIdFromCertificate(raw));
}
