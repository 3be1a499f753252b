import { join } from 'node:path';
import { toHex } from '../../../src/avalanche/ids/hex.js';
import { ManagedChild } from '../../../sandbox/local/processes/child-process.js';
import { poll } from '../../../sandbox/local/processes/poll.js';
import { freePort } from '../../../sandbox/local/processes/ports.js';
import { type Progress } from '../../../sandbox/local/processes/progress.js';
import type { RecordedValidatorFee } from '../../../sandbox/recording/p-chain-recording.js';
import { buildProgram } from '../programs.js';

const START_TIMEOUT_MS = 30_000;
const START_INTERVAL_MS = 100;
const REQUEST_TIMEOUT_MS = 20_000;

/** The VM has verified a block and found something wrong; the state is as before. */
export class BlockRefusedError extends Error {}

/**
 * avalanchego's P-chain VM without a network around it (`tools/localnet/avalanchego/programs/p-chain`): it accepts whatever blocks
 * it finds valid, from any time up to now.
 */
export class HistoryVm {
  private constructor(
    readonly url: string,
    private readonly child: ManagedChild,
  ) {}

  static async start(options: {
    /** For the program and its log. */
    folder: string;
    /** UNIX seconds. */
    genesisTime: number;
    /** As in avalanchego's `--upgrade-file`; what is left out is as on a local network. */
    upgrades: Readonly<Record<string, string>>;
    /** Null: as on a local network. */
    validatorFee: RecordedValidatorFee | null;
    progress: Progress;
  }): Promise<HistoryVm> {
    const { folder, genesisTime, upgrades, validatorFee, progress } = options;
    const program = await buildProgram('p-chain', folder, progress);
    const port = await freePort();
    const child = await ManagedChild.start({
      name: 'p-chain',
      command: program,
      args: [
        `--port=${port}`,
        `--genesis-time=${genesisTime}`,
        `--upgrades=${JSON.stringify(upgrades)}`,
        `--validator-fee=${JSON.stringify(validatorFee ?? {})}`,
      ],
      logFile: join(folder, 'p-chain.log'),
    });
    const vm = new HistoryVm(`http://127.0.0.1:${port}`, child);
    await vm.waitUntilReady();
    return vm;
  }

  async stop(): Promise<void> {
    await this.child.stop();
  }

  /** Rejects with BlockRefusedError. */
  async accept(block: Uint8Array): Promise<void> {
    const response = await this.post('/block', block);
    if (!response.ok) throw new BlockRefusedError((await response.text()).trim());
  }

  /** Lets an output of another chain wait for the P-chain. */
  async export(output: {
    chain: 'X' | 'C';
    utxoId: string;
    utxo: Uint8Array;
    addresses: readonly string[];
  }): Promise<void> {
    const { chain, utxoId, utxo, addresses } = output;
    const response = await this.post(
      '/export',
      JSON.stringify({ chain, key: utxoId, utxo: toHex(utxo), traits: addresses }),
    );
    if (!response.ok) throw new Error(`not exported: ${await response.text()}`);
  }

  async genesis(): Promise<Uint8Array> {
    const response = await fetch(`${this.url}/genesis`, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
    return new Uint8Array(await response.arrayBuffer());
  }

  private async post(path: string, body: Uint8Array | string): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      method: 'POST',
      body: typeof body === 'string' ? body : new Uint8Array(body),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
  }

  private async waitUntilReady(): Promise<void> {
    await poll({
      what: 'start of the P-chain VM',
      timeoutMs: START_TIMEOUT_MS,
      intervalMs: START_INTERVAL_MS,
      ask: async () => {
        if (this.child.hasExited) throw new Error(this.child.describeExit());
        return this.genesis().catch(() => undefined);
      },
    });
  }
}
