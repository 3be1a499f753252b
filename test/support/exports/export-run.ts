import { expect } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { Config } from '../../../src/platform/config/config.module.js';
import { parseEnv } from '../../../src/platform/config/env.schema.js';
import { Database } from '../../../src/platform/database/database.js';
import { CoverageRepository } from '../../../src/indexes/engine/coverage/coverage.repository.js';
import { IndexedNetworks } from '../../../src/indexes/overview/indexed-networks.js';
import type { EvmChain } from '../../../src/platform/evm-chains/evm-chain.js';
import { GenesisAllocations } from '../../../src/indexes/evm/sources/genesis-allocations.js';
import { EvmChains } from '../../../src/platform/evm-chains/evm-chains.js';
import { expand } from '../../../src/exports/storage/gzip-stream.js';
import { StorageSpace } from '../../../src/exports/storage/storage-space.js';
import type { ExportStorage } from '../../../src/exports/storage/export-storage.js';
import { ProofMaker } from '../../../src/exports/proof/proof-maker.js';
import { ServiceSecret } from '../../../src/platform/secrets/service-secret.entity.js';
import { ServiceSecrets } from '../../../src/platform/secrets/service-secrets.js';
import { ArchiveNodes } from '../../../src/exports/search/archive-nodes.js';
import { SearchRecordsRepository } from '../../../src/exports/search/search-records.repository.js';
import { ExportPartsRepository } from '../../../src/exports/turns/export-parts.repository.js';
import { IndexedBlocksRepository } from '../../../src/exports/turns/indexed-blocks.repository.js';
import { TokenLabels } from '../../../src/exports/rows/token-labels.js';
import { TransactionExporter } from '../../../src/exports/transaction-exporter.js';
import type { ExportProgress, ExportTurnInput } from '../../../workflows/contracts/export-transactions.js';
import { onCleanup } from '../harness/cleanup.js';
import { createTestFolder } from '../harness/services.js';

/** The configured chains, as a process reads them from its file. */
export function createEvmChains(chains: readonly EvmChain[]): EvmChains {
  const file = join(createTestFolder('chains'), 'chains.json');
  const entries = chains.map(({ chainId, startHeight, ...chain }) => ({
    ...chain,
    chainId: chainId.toString(),
    startHeight: startHeight.toString(),
  }));
  writeFileSync(file, JSON.stringify({ chains: entries }));
  const env = parseEnv({
    DATABASE_URL: 'postgres://nowhere',
    EVM_CHAINS_FILE: file,
    NODE_TIMEOUT_MS: '1250',
  });
  const evmChains = new EvmChains(new Config(env));
  onCleanup(() => evmChains.onApplicationShutdown());
  return evmChains;
}

function createIndexedBlocks(dataSource: DataSource): IndexedBlocksRepository {
  const database = new Database(dataSource);
  return new IndexedBlocksRepository(database, new CoverageRepository(database));
}

/** Of a folder that is not there, with these settings. */
export function createSpace(
  dataSource: DataSource,
  env: Readonly<Record<string, string>> = {},
): StorageSpace {
  return new StorageSpace(
    new Config(parseEnv({ DATABASE_URL: 'postgres://nowhere', ...env })),
    new Database(dataSource),
  );
}

/** As the worker makes it; without memory of earlier ones. */
export function createExporter(
  dataSource: DataSource,
  chains: EvmChains,
  storage: ExportStorage,
  blocks = createIndexedBlocks(dataSource),
  space = createSpace(dataSource),
): TransactionExporter {
  const database = new Database(dataSource);
  const parts = new ExportPartsRepository(database);
  const networks = new IndexedNetworks(database);
  const labels = new TokenLabels(blocks);
  const genesis = new GenesisAllocations(database);
  const archives = new ArchiveNodes(chains);
  const searches = new SearchRecordsRepository(database);
  const proofs = new ProofMaker(
    blocks,
    new ServiceSecrets(dataSource.getRepository(ServiceSecret)),
    database,
  );
  return new TransactionExporter(
    ...([database, blocks, labels, chains, networks, genesis, archives, searches] as const),
    ...([proofs, parts, storage, space] as const),
  );
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
