import { join } from 'node:path';
import { z } from 'zod';
import type { PeerAddress } from '../../../src/avalanche/p2p/network/address.js';
import { ManagedChild } from '../../../sandbox/local/processes/child-process.js';
import { poll } from '../../../sandbox/local/processes/poll.js';
import { freePort } from '../../../sandbox/local/processes/ports.js';
import { silent } from '../../../sandbox/local/processes/progress.js';
import { buildProgram } from '../../../tools/localnet/programs.js';
import { fromGlobalSetup } from '../harness/env.js';
import { registerProcess } from '../harness/process-register.js';
import { createTestFolder } from '../harness/services.js';

const START_TIMEOUT_MS = 300_000;
const START_INTERVAL_MS = 50;

const StateSchema = z.object({
  networkId: z.number(),
  chainId: z.string(),
  nodes: z.array(
    z.object({
      nodeId: z.string(),
      address: z.string().regex(/^127\.0\.0\.1:\d+$/),
      /** Hex of the compressed BLS key. */
      publicKey: z.string(),
      /** Versions that connected peers claim, by node id. */
      peers: z.record(z.string(), z.string()),
      /** Messages received, by kind. */
      received: z.record(z.string(), z.number()),
    }),
  ),
});

export type PeersState = z.infer<typeof StateSchema>;

/** The peers of `tools/localnet/avalanchego/programs/peer`: avalanchego's own code, of the version of today's networks. */
export class AvalanchegoPeers {
  private static program: Promise<string> | undefined;

  private constructor(
    private readonly url: string,
    private readonly child: ManagedChild,
  ) {}

  /** Built once per spec file. Minutes without Go's cache: give the hook that calls this more time than a test has. */
  static build(): Promise<string> {
    this.program ??= buildProgram('peer', createTestFolder('peer'), silent);
    return this.program;
  }

  /** Nodes that know each other; they ping, and check versions again, that often. */
  static async start(options: {
    nodes: number;
    floorMinor: number;
    pingMs: number;
  }): Promise<AvalanchegoPeers> {
    const program = await AvalanchegoPeers.build();
    const port = await freePort();
    const child = await ManagedChild.start({
      name: 'peers',
      command: program,
      args: [
        `--port=${port}`,
        `--nodes=${options.nodes}`,
        `--floor-minor=${options.floorMinor}`,
        `--ping-frequency=${options.pingMs}ms`,
      ],
      logFile: join(createTestFolder('peers'), 'peers.log'),
    });
    registerProcess(fromGlobalSetup('folder'), child.pid);
    const peers = new AvalanchegoPeers(`http://127.0.0.1:${port}`, child);
    await peers.waitUntilConnected(options.nodes);
    return peers;
  }

  async state(): Promise<PeersState> {
    const response = await fetch(this.url);
    return StateSchema.parse(await response.json());
  }

  async addresses(): Promise<PeerAddress[]> {
    const { nodes } = await this.state();
    return nodes.map(({ nodeId, address }) => {
      const [host = '', port] = address.split(':');
      return { nodeId, host, port: Number(port) };
    });
  }

  /** From the next handshake and ping on, 1.`minor`.0 is the lowest version that the nodes put up with. */
  async setFloor(minor: number): Promise<void> {
    await this.post('/floor', JSON.stringify({ minor, patch: 0 }));
  }

  /** The nodes have executed the block of this unsigned message, and sign it from now on. */
  async execute(message: Uint8Array): Promise<void> {
    await this.post('/executed', message);
  }

  async stop(): Promise<void> {
    await this.child.stop();
  }

  private async post(path: string, body: Uint8Array | string): Promise<void> {
    const response = await fetch(`${this.url}${path}`, {
      method: 'POST',
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
    if (!response.ok) throw new Error(`${path} failed: ${await response.text()}`);
  }

  private async waitUntilConnected(count: number): Promise<void> {
    await poll({
      what: 'start of the peers',
      timeoutMs: START_TIMEOUT_MS,
      intervalMs: START_INTERVAL_MS,
      ask: async () => {
        if (this.child.hasExited) throw new Error(this.child.describeExit());
        const state = await this.state().catch(() => undefined);
        const isConnected = state?.nodes.every(({ peers }) => Object.keys(peers).length === count - 1);
        return isConnected === true ? true : undefined;
      },
    });
  }
}
