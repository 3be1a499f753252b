import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { FolderStorage } from '../../src/exports/storage/folder-storage.js';
import type { TransactionExporter } from '../../src/exports/transaction-exporter.js';
import { Config } from '../../src/platform/config/config.module.js';
import { parseEnv } from '../../src/platform/config/env.schema.js';
import { EvmChains } from '../../src/platform/evm-chains/evm-chains.js';
import { GENERATED_CHAIN } from '../support/evm/generated-evm.js';
import { createExporter } from '../support/exports/make-exporter.js';

export function exportFolderIn(folder: string): string {
  return join(folder, 'exports');
}

/** The exporter as the worker has it, and the storage that it fills. */
export function makeExporter(dataSource: DataSource, folder: string, rpcUrl: string): TransactionExporter {
  const file = join(folder, 'chains.json');
  const chain = {
    network: GENERATED_CHAIN.network,
    chainId: GENERATED_CHAIN.chainId.toString(),
    blockchainId: '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5',
    name: 'generated',
    rpcUrls: [rpcUrl],
    startHeight: '0',
    nativeSymbol: 'AVAX',
    nativeDecimals: 18,
  };
  writeFileSync(file, JSON.stringify({ chains: [chain] }));
  const chains = new EvmChains(
    new Config(parseEnv({ DATABASE_URL: 'postgres://unused', EVM_CHAINS_FILE: file })),
  );
  return createExporter(dataSource, chains, new FolderStorage(exportFolderIn(folder)));
}
