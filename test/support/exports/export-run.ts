import { expect } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { Config } from '../../../src/platform/config/config.module.js';
import { parseEnv } from '../../../src/platform/config/env.schema.js';
import type { EvmChain } from '../../../src/platform/evm-chains/evm-chain.js';
import { EvmChains } from '../../../src/platform/evm-chains/evm-chains.js';
import { expand } from '../../../src/exports/storage/gzip-stream.js';
import type { ExportStorage } from '../../../src/exports/storage/export-storage.js';
import type { TransactionExporter } from '../../../src/exports/transaction-exporter.js';
import type { ExportProgress, ExportTurnInput } from '../../../workflows/contracts/export-transactions.js';
import { onCleanup } from '../harness/cleanup.js';
import { createTestFolder } from '../harness/services.js';
import { NODE_PATIENCE_MS } from '../node-patience.js';

/** The configured chains, as a process reads them from its file. */
export function createEvmChains(chains: readonly EvmChain[]): EvmChains {
  const file = join(createTestFolder('chains'), 'chains.json');
  const entries = chains.map(({ chainId, startHeight, ...chain }) => ({
    ...chain,
    chainId: chainId.toString(),
    startHeight: startHeight.toString(),
    isOwnCChain: undefined, // follows from the network
  }));
  writeFileSync(file, JSON.stringify({ chains: entries }));
  const env = parseEnv({
    DATABASE_URL: 'postgres://nowhere',
    EVM_CHAINS_FILE: file,
    NODE_TIMEOUT_MS: String(NODE_PATIENCE_MS),
  });
  const evmChains = new EvmChains(new Config(env));
  onCleanup(() => evmChains.onApplicationShutdown());
  return evmChains;
}

export const NO_LIMITS = { maxRows: Number.MAX_SAFE_INTEGER, maxNodeCalls: Number.MAX_SAFE_INTEGER };

export function exportTurn(
  exporter: TransactionExporter,
  input: ExportTurnInput,
  signal: AbortSignal = new AbortController().signal,
): Promise<ExportProgress> {
  return exporter.exportTurn(input, { signal, onProgress: () => undefined });
}

/** Turns until the export ends. */
export async function runExport(
  exporter: TransactionExporter,
  input: ExportTurnInput,
): Promise<ExportProgress> {
  for (;;) {
    const progress = await exportTurn(exporter, input);
    if (progress.state !== 'more') return progress;
  }
}

/** The file, as a download puts it together. */
export async function readExport(
  dataSource: DataSource,
  storage: ExportStorage,
  operationId: string,
): Promise<string> {
  const parts = await dataSource.query<
    { storage_key: string | null; bytes: string; stored_bytes: string | null }[]
  >('SELECT storage_key, bytes, stored_bytes FROM export_parts WHERE operation_id = $1 ORDER BY part', [
    operationId,
  ]);
  const chunks: Uint8Array[] = [];
  for (const { storage_key: key, bytes, stored_bytes: storedBytes } of parts) {
    if (key === null) continue;
    const stored = storage.read(key, { start: 0, end: Number(storedBytes ?? bytes) - 1 });
    let read = 0;
    for await (const chunk of storedBytes === null ? stored : expand(stored)) {
      chunks.push(chunk);
      read += chunk.length;
    }
    expect(read).toBe(Number(bytes));
  }
  return Buffer.concat(chunks).toString();
}
