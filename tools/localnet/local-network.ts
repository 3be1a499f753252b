import { X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeIdFromCertificate, nodeIdToString } from '../../src/avalanche/ids/node-id.js';
import { choosePort, freePort } from '../../sandbox/local/processes/ports.js';
import { silent, type Progress } from '../../sandbox/local/processes/progress.js';
import { ensureAvalanchegoBinaries, type AvalanchegoBinaries } from './binaries.js';
import { LocalNode } from './local-node.js';

/** For nodes that share a machine with everything else. */
export const RPC_TIMEOUT_MS = 20_000;

/** As many validators as the genesis of network id 12345 has; all with the same weight. */
export const MAX_NODES = 5;

/** More open files than one node of so small a network needs, fewer than most systems allow. */
const FILE_LIMIT = 8192;

/** Identity of a node that is no validator of the genesis. */
export interface GuestIdentity {
  certPem: string;
  keyPem: string;
  /** 32 bytes. */
  blsSecretKey: Uint8Array;
}

export interface LocalNetworkOptions {
  nodes?: number;
  /** Nodes besides those of the genesis, which may become validators; after them in `LocalNetwork.nodes`. */
  guests?: readonly GuestIdentity[];
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
  /** Starts guests beside the nodes that run and waits until they are healthy. They are stopped with the others. */
  join(guests: readonly GuestIdentity[], flags: readonly string[]): Promise<readonly LocalNode[]>;
  stop(): Promise<void>;
}

interface Ports {
  http: number;
  staking: number;
}

interface KeyFiles {
  cert: string;
  key: string;
  signer: string;
}

interface NewNode {
  number: number;
  options: LocalNetworkOptions;
  binaries: AvalanchegoBinaries;
  guest: GuestIdentity | undefined;
  /** Besides those of all nodes. */
  flags: readonly string[];
  ports: Ports;
  bootstrap: { nodeId: string; stakingPort: number } | undefined;
}

/** Starts a network of real nodes on loopback and waits until each is healthy, which takes about a minute. */
export async function startLocalNetwork(options: LocalNetworkOptions): Promise<LocalNetwork> {
  const count = options.nodes ?? MAX_NODES;
  if (count < 1 || count > MAX_NODES) throw new RangeError(`a local network has 1 to ${MAX_NODES} nodes`);
  const binaries = options.binaries ?? (await ensureAvalanchegoBinaries(options.progress ?? silent));
  const network = new RunningNetwork(options, binaries);
  const genesisNodes = Array.from({ length: count }, () => undefined);
  await network.add([...genesisNodes, ...(options.guests ?? [])], []);
  return network;
}

class RunningNetwork implements LocalNetwork {
  readonly nodes: LocalNode[] = [];

  constructor(
    private readonly options: LocalNetworkOptions,
    private readonly binaries: AvalanchegoBinaries,
  ) {}

  get url(): string {
    const [first] = this.nodes;
    if (first === undefined) throw new RangeError('a network has at least one node');
    return first.url;
  }

  join(guests: readonly GuestIdentity[], flags: readonly string[]): Promise<readonly LocalNode[]> {
    return this.add(guests, flags);
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }

  /** Undefined stands for the next validator of the genesis. */
  async add(
    identities: readonly (GuestIdentity | undefined)[],
    flags: readonly string[],
  ): Promise<LocalNode[]> {
    const added: LocalNode[] = [];
    for (const identity of identities) added.push(await this.create(identity, flags));
    const failed = new AbortController();
    const { progress = silent, signal = failed.signal } = this.options;
    const stopWaiting = AbortSignal.any([failed.signal, signal]);
    try {
      await Promise.all(added.map((node) => node.start()));
      const waits = added.map(async (node) => {
        await node.waitUntilHealthy(stopWaiting);
        progress(`${node.nodeId} is healthy`);
      });
      await Promise.all(waits);
    } catch (error) {
      failed.abort();
      await Promise.all(added.map((node) => node.stop()));
      throw error;
    }
    return added;
  }

  private async create(guest: GuestIdentity | undefined, flags: readonly string[]): Promise<LocalNode> {
    const node = createNode({
      number: this.nodes.length + 1,
      options: this.options,
      binaries: this.binaries,
      guest,
      flags,
      ports: await choosePorts(this.options.basePort),
      bootstrap: this.nodes[0],
    });
    this.nodes.push(node);
    return node;
  }
}

async function choosePorts(basePort: number | undefined): Promise<Ports> {
  if (basePort === undefined) return { http: await freePort(), staking: await freePort() };
  const http = await choosePort(basePort);
  return { http, staking: await choosePort(http + 1) };
}

function createNode(given: NewNode): LocalNode {
  const { number, options, binaries, ports, guest, flags } = given;
  const name = `node${number}`;
  const dataFolder = join(options.dataDir, name);
  mkdirSync(dataFolder, { recursive: true });
  const keys = guest === undefined ? genesisKeys(binaries, number) : writeKeys(guest, dataFolder);
  return new LocalNode({
    name,
    nodeId: readNodeId(keys.cert),
    binary: binaries.avalanchego,
    flags: [...makeFlags({ ...given, dataFolder, keys }), ...(options.flags ?? []), ...flags],
    dataFolder,
    httpPort: ports.http,
    stakingPort: ports.staking,
    onStarted: (pid) => options.onStarted?.(name, pid),
  });
}

function genesisKeys({ stakingFolder }: AvalanchegoBinaries, number: number): KeyFiles {
  return {
    cert: join(stakingFolder, `staker${number}.crt`),
    key: join(stakingFolder, `staker${number}.key`),
    signer: join(stakingFolder, `signer${number}.key`),
  };
}

function writeKeys(guest: GuestIdentity, dataFolder: string): KeyFiles {
  const keys = {
    cert: join(dataFolder, 'staker.crt'),
    key: join(dataFolder, 'staker.key'),
    signer: join(dataFolder, 'signer.key'),
  };
  writeFileSync(keys.cert, guest.certPem);
  writeFileSync(keys.key, guest.keyPem, { mode: 0o600 });
  writeFileSync(keys.signer, guest.blsSecretKey, { mode: 0o600 });
  return keys;
}

function makeFlags(given: NewNode & { dataFolder: string; keys: KeyFiles }): string[] {
  const { binaries, ports, bootstrap, dataFolder, keys } = given;
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
    `--staking-tls-cert-file=${keys.cert}`,
    `--staking-tls-key-file=${keys.key}`,
    `--staking-signer-key-file=${keys.signer}`,
    `--bootstrap-ids=${bootstrap?.nodeId ?? ''}`,
    `--bootstrap-ips=${bootstrap === undefined ? '' : `127.0.0.1:${bootstrap.stakingPort}`}`,
    '--index-enabled=true',
    '--health-check-frequency=1s', // by default it reports half a minute late that it is healthy
    // Few megabytes: by default a node is unhealthy for good where less than a tenth of the disk is free.
    '--system-tracker-disk-warning-available-space-percentage=0',
    '--system-tracker-disk-required-available-space-percentage=0',
    '--log-display-level=warn', // all of it is in the node's own log files
  ];
}

function readNodeId(certificateFile: string): string {
  const { raw } = new X509Certificate(readFileSync(certificateFile));
  return nodeIdToString(nodeIdFromCertificate(raw));
}
