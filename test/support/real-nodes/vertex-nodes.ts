import { join } from 'node:path';
import { z } from 'zod';
import type { AvmGenesis } from '../../../src/avalanche/avm/genesis/genesis.js';
import { fromHex, toHex } from '../../../src/avalanche/ids/hex.js';
import { idFromString, idToString } from '../../../src/avalanche/ids/id.js';
import { ManagedChild } from '../../../sandbox/local/processes/child-process.js';
import { poll } from '../../../sandbox/local/processes/poll.js';
import { freePort } from '../../../sandbox/local/processes/ports.js';
import { silent } from '../../../sandbox/local/processes/progress.js';
import { buildProgram } from '../../../tools/localnet/programs.js';
import { FUNDED_SECRET, SigningKey } from '../../../tools/localnet/scenario/signing-key.js';
import { onCleanup } from '../harness/cleanup.js';
import { fromGlobalSetup } from '../harness/env.js';
import { registerProcess } from '../harness/process-register.js';
import { createTestFolder } from '../harness/services.js';

const START_TIMEOUT_MS = 300_000;
const START_INTERVAL_MS = 50;

const StateSchema = z.object({
  nodes: z.array(
    z.object({
      nodeId: z.string(),
      address: z.string().transform((address) => Number(address.split(':')[1])),
      requests: z.number(),
    }),
  ),
  stopVertex: z.string().transform((id) => toHex(idFromString(id))),
  vertices: z.number(),
  /** Hex, in the order of execution. */
  transactions: z.array(z.string()),
});

/** The nodes of `tools/localnet/avalanchego/programs/vertices`, and the history that they serve. */
export class VertexNodes {
  private static program: Promise<string> | undefined;

  private constructor(private readonly url: string) {}

  /** Built once per spec file. Minutes without Go's cache: give the hook that calls this more time than a test has. */
  static build(): Promise<string> {
    this.program ??= buildProgram('vertices', createTestFolder('vertices'), silent);
    return this.program;
  }

  /** Stopped afterwards. */
  static async start(
    { identity, assets }: AvmGenesis,
    { nodes, maxContainers }: { nodes: number; maxContainers: number },
  ): Promise<VertexNodes> {
    const outputs = assets.flatMap(({ transaction }) =>
      transaction.initialStates.flatMap((state) => state.outputs),
    );
    const index = outputs.findIndex(
      (output) => output.type === 'Transfer' && output.owners.addresses.includes(SigningKey.funded().address),
    );
    const coin = outputs[index];
    if (coin?.type !== 'Transfer') throw new Error('the genesis has nothing for the funded key');
    const port = await freePort();
    const child = await ManagedChild.start({
      name: 'vertices',
      command: await VertexNodes.build(),
      args: [
        `--port=${port}`,
        `--nodes=${nodes}`,
        `--max-containers=${maxContainers}`,
        `--chain-id=${idToString(fromHex(identity.blockchainId))}`,
        `--asset-id=${idToString(fromHex(identity.avaxAssetId))}`,
        `--coin-index=${index}`,
        `--coin-amount=${coin.amount}`,
        `--key=${FUNDED_SECRET}`,
      ],
      logFile: join(createTestFolder('vertices'), 'vertices.log'),
    });
    registerProcess(fromGlobalSetup('folder'), child.pid);
    onCleanup(() => child.stop());
    const started = new VertexNodes(`http://127.0.0.1:${port}`);
    await poll({
      what: 'start of the nodes with vertices',
      timeoutMs: START_TIMEOUT_MS,
      intervalMs: START_INTERVAL_MS,
      ask: async () => {
        if (child.hasExited) throw new Error(child.describeExit());
        return started.state().catch(() => undefined);
      },
    });
    return started;
  }

  async state() {
    const response = await fetch(this.url);
    return StateSchema.parse(await response.json());
  }

  /** On loopback. */
  async addresses() {
    const { nodes } = await this.state();
    return nodes.map(({ nodeId, address: port }) => ({ nodeId, port }));
  }
}
