import { z } from 'zod';
import type { Random } from '../../../sandbox/generated/evm-chain-generator.js';
import { evmChainOf } from '../../../sandbox/generated/evm-chain-generator.js';
import { WARP_PRECOMPILE_ADDRESS } from '../../../src/avalanche/warp/send-warp-log.js';
import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.js';
import { JsonRpcClient } from '../../../src/avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../../../src/avalanche/rpc/platform-client.js';
import { type Child, startChild } from '../../bench/child.js';
import { Link, Sky } from './link.js';
import type { MadeChain, MadeChains } from './made-chains.js';

/** Addresses of this machine's own: where the sandbox listens, and the address that it announces. */
const HIDDEN = '127.0.0.2';
const TOLD = '127.0.0.3';
const VALIDATORS = 5;
const P_CHAIN_BLOCK_MS = 2_000;
const EVM_BLOCK_MS = 1_000;
/** State of a chain before the service has begun. */
export const FIRST_TIP = 20 * 120;
const C_CHAIN_PATH = '/ext/bc/C/rpc';
const NODE_TIMEOUT_MS = 60_000;

const WorldSchema = z.object({ validators: z.array(z.object({ address: z.string() })) });

/** The networks as the service sees them, over links that can be slow, lossy or cut. Blocks come all the time. */
export class FarNetworks {
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly sandbox: Child,
    private readonly nodes: { readonly source: Sandbox; readonly destination: Sandbox },
    private readonly links: readonly Link[],
    /** Base URL of the P- and X-chain's node, and those of the EVM nodes, behind links. */
    readonly urls: { readonly node: string; readonly source: string; readonly destination: string },
    readonly sky: Sky,
  ) {}

  static async start(options: {
    folder: string;
    chains: MadeChains;
    random: Random;
    internet: boolean;
  }): Promise<FarNetworks> {
    const { folder, chains, random, internet } = options;
    const sky = new Sky(random);
    const sandbox = await startNetwork(folder, internet);
    const world = WorldSchema.parse(await (await fetch(`${sandbox.url}/sandbox`)).json());
    const ports = new Set(
      [...world.validators.map(({ address }) => address), new URL(sandbox.url).host].map(portOf),
    );
    ports.delete(NaN);
    const links = await Promise.all(
      [...ports].map((port) => Link.open({ at: { host: TOLD, port }, to: { host: HIDDEN, port }, sky })),
    );
    const source = await startNode(chains.source);
    const destination = await startNode(chains.destination);
    const [sourceLink, destinationLink] = await Promise.all(
      [source, destination].map((node) => {
        const { hostname: host, port } = new URL(node.url);
        return Link.open({ at: { host: TOLD, port: 0 }, to: { host, port: Number(port) }, sky });
      }),
    );
    if (sourceLink === undefined || destinationLink === undefined) throw new Error('no links');
    const networks = new FarNetworks(
      sandbox,
      { source, destination },
      [...links, sourceLink, destinationLink],
      {
        node: `http://${TOLD}:${portOf(new URL(sandbox.url).host)}`,
        source: sourceLink.url + C_CHAIN_PATH,
        destination: destinationLink.url + C_CHAIN_PATH,
      },
      sky,
    );
    networks.grow();
    return networks;
  }

  /** Of the sandbox's node itself, whatever the weather. */
  get directUrl(): string {
    return this.sandbox.url;
  }

  /** Heights of the EVM chains, which are equal. */
  get tip(): number {
    return this.nodes.source.cChain.tip;
  }

  async pChainHeight(): Promise<bigint> {
    const rpc = new JsonRpcClient({ urls: [this.directUrl], timeoutMs: NODE_TIMEOUT_MS });
    try {
      return await new PlatformClient(rpc).getHeight();
    } finally {
      rpc.close();
    }
  }

  /** No further blocks of the EVM chains, so that what is indexed can be compared with what there is. */
  rest(): void {
    clearInterval(this.timer);
  }

  async stop(): Promise<void> {
    this.rest();
    for (const link of this.links) link.close();
    const { source, destination } = this.nodes;
    await Promise.all([source, destination, this.sandbox].map((each) => each.stop()));
  }

  private grow(): void {
    this.timer = setInterval(() => {
      for (const node of [this.nodes.source, this.nodes.destination]) {
        setTip(node, node.cChain.tip + 1);
      }
    }, EVM_BLOCK_MS);
  }
}

function startNetwork(folder: string, internet: boolean): Promise<Child> {
  const world = internet
    ? ['--internet']
    : ['--validators', String(VALIDATORS), '--block-interval', String(P_CHAIN_BLOCK_MS)];
  return startChild({
    name: 'sandbox',
    entry: 'dist/bundled/sandbox/main.js',
    args: [...world, '--host', HIDDEN, '--public-ip', TOLD, '--port', '0'],
    folder,
  });
}

async function startNode({ chain, blocks }: MadeChain): Promise<Sandbox> {
  const { chainId, blockchainId } = chain;
  const node = await startSandbox({
    validators: 1,
    recording: null,
    evmRecordings: [evmChainOf({ chainId, blockchainId, blocks })],
  });
  node.cChain.contracts.set(WARP_PRECOMPILE_ADDRESS, () => chain.id);
  setTip(node, FIRST_TIP);
  return node;
}

function setTip(node: Sandbox, height: number): void {
  node.setCChainBehaviour({ kind: 'tip', height });
}

function portOf(address: string): number {
  return Number(address.split(':').at(-1));
}
