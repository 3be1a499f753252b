import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import {
  defaultCChainRecording,
  defaultL1Recording,
} from '../../../sandbox/evm-chains/default-recordings.js';
import type { EvmRecording } from '../../../sandbox/recording/evm-recording.js';
import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.js';
import { readAtomicTransfers } from '../../../src/avalanche/evm/blocks/atomic-transactions.js';
import { parseHeader } from '../../../src/avalanche/evm/blocks/block.js';
import { P_CHAIN } from '../../../src/platform/database/chains.js';
import { SignedProofSchema } from '../../../src/exports/proof/export-proof.js';
import type { EvmChain } from '../../../src/platform/evm-chains/evm-chain.js';
import type { ExportProgress } from '../../../workflows/contracts/export-transactions.js';
import { TEST_CHAIN } from '../evm/evm-index.js';
import { onCleanup } from '../harness/cleanup.js';
import { createMigratedDatabase } from '../harness/database.js';
import { LONG_MS, makeStorage } from './export-bed.js';
import { dateOf } from './export-comparison.js';
import { createEvmChains, NO_LIMITS, readExport, runExport } from './export-run.js';
import { createExporter } from './make-exporter.js';

export const RECORDINGS = [defaultCChainRecording(), defaultL1Recording()] as const;
/** In the rows. */
export const NAME = 'chain';

/** Of the recordings' network. */
function avaxOf({ blocks }: EvmRecording): string {
  for (const [height, { block }] of blocks.entries()) {
    const [transfer] = readAtomicTransfers(parseHeader(block, BigInt(height)));
    if (transfer !== undefined) return transfer.assetId;
  }
  throw new Error('nothing was imported');
}

/** A node of both recordings. */
export async function startRecorded(): Promise<Sandbox> {
  const node = await startSandbox({
    validators: 1,
    recording: null,
    blockIntervalMs: 0,
    evmRecordings: [...RECORDINGS],
  });
  onCleanup(() => node.stop());
  return node;
}

/** Exports of the recorded chains, from a node of them and from tables. */
export class RecordedExports {
  private constructor(
    readonly database: DataSource,
    readonly node: Sandbox,
  ) {}

  static async start(): Promise<RecordedExports> {
    const node = await startRecorded();
    const database = await createMigratedDatabase();
    await database.query(
      `INSERT INTO index_checkpoints (network, chain, height, block_id, block_time, state)
       VALUES ('fuji', $1, 0, '', 0, $2)`,
      [P_CHAIN, { networkId: 12345, avaxAssetId: avaxOf(RECORDINGS[0]) }],
    );
    return new RecordedExports(database, node);
  }

  chainOf(recording: EvmRecording, rpcUrls: readonly string[] = []): EvmChain {
    return {
      ...TEST_CHAIN,
      chainId: BigInt(recording.chainId),
      blockchainId: recording.blockchainId,
      name: NAME,
      rpcUrls: rpcUrls.length > 0 ? rpcUrls : [`${this.node.url}/ext/bc/${recording.blockchainId}/rpc`],
    };
  }

  inputOf(recording: EvmRecording, addresses: readonly string[], signers: readonly string[] = []) {
    return {
      operationId: randomUUID(),
      request: {
        type: 'TRANSACTION_EXPORT_EVM' as const,
        addresses: [...addresses],
        signers: [...signers],
        chainIds: [BigInt(recording.chainId).toString()],
        firstDate: dateOf(recording, 1),
        lastDate: dateOf(recording, recording.blocks.length - 1),
        timeZone: 'UTC',
        format: 'standard' as const,
      },
      limits: NO_LIMITS,
      durationMs: LONG_MS,
    };
  }

  async export(
    recording: EvmRecording,
    addresses: readonly string[],
    { chain = this.chainOf(recording), signers = [] }: { chain?: EvmChain; signers?: readonly string[] } = {},
  ): Promise<{ lines: string[]; progress: ExportProgress; rules: string[] }> {
    const { database } = this;
    const storage = makeStorage();
    const exporter = createExporter(database, createEvmChains([chain]), storage);
    const input = this.inputOf(recording, addresses, signers);
    const progress = await runExport(exporter, input);
    const file = await readExport(database, storage, input.operationId);
    const [row] = await database.query<{ content: string }[]>(
      'SELECT content FROM export_proofs WHERE operation_id = $1',
      [input.operationId],
    );
    const { proof } = SignedProofSchema.parse(JSON.parse(row?.content ?? ''));
    const rules = proof.chains.flatMap(({ accounts }) => accounts.map(({ rule }) => rule));
    return { lines: file.split('\r\n').slice(1, -1), progress, rules };
  }
}
