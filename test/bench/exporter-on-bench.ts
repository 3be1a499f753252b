import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { ExportPartsRepository } from '../../src/exports/turns/export-parts.repository.js';
import { IndexedBlocksRepository } from '../../src/exports/turns/indexed-blocks.repository.js';
import { TokenLabels } from '../../src/exports/rows/token-labels.js';
import { ProofMaker } from '../../src/exports/proof/proof-maker.js';
import { ServiceSecret } from '../../src/platform/secrets/service-secret.entity.js';
import { ServiceSecrets } from '../../src/platform/secrets/service-secrets.js';
import { ArchiveNodes } from '../../src/exports/search/archive-nodes.js';
import { SearchRecordsRepository } from '../../src/exports/search/search-records.repository.js';
import { FolderStorage } from '../../src/exports/storage/folder-storage.js';
import { StorageSpace } from '../../src/exports/storage/storage-space.js';
import { TransactionExporter } from '../../src/exports/transaction-exporter.js';
import { CoverageRepository } from '../../src/indexes/engine/coverage/coverage.repository.js';
import { GenesisAllocations } from '../../src/indexes/evm/sources/genesis-allocations.js';
import { IndexedNetworks } from '../../src/indexes/overview/indexed-networks.js';
import { Config } from '../../src/platform/config/config.module.js';
import { parseEnv } from '../../src/platform/config/env.schema.js';
import { Database } from '../../src/platform/database/database.js';
import { EvmChains } from '../../src/platform/evm-chains/evm-chains.js';
import { GENERATED_CHAIN } from '../support/evm/generated-evm.js';

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
  const database = new Database(dataSource);
  const blocks = new IndexedBlocksRepository(database, new CoverageRepository(database));
  const parts = new ExportPartsRepository(database);
  const storage = new FolderStorage(join(folder, 'exports'));
  const networks = new IndexedNetworks(database);
  const labels = new TokenLabels(blocks);
  const genesis = new GenesisAllocations(database);
  const space = new StorageSpace(new Config(parseEnv({ DATABASE_URL: 'postgres://unused' })), database);
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
