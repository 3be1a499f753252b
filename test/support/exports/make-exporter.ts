import type { DataSource } from 'typeorm';
import { ProofMaker } from '../../../src/exports/proof/proof-maker.js';
import { TokenLabels } from '../../../src/exports/rows/token-labels.js';
import { ArchiveNodes } from '../../../src/exports/search/archive-nodes.js';
import { SearchRecordsRepository } from '../../../src/exports/search/search-records.repository.js';
import type { ExportStorage } from '../../../src/exports/storage/export-storage.js';
import { StorageSpace } from '../../../src/exports/storage/storage-space.js';
import { TransactionExporter } from '../../../src/exports/transaction-exporter.js';
import { ExportPartsRepository } from '../../../src/exports/turns/export-parts.repository.js';
import { IndexedBlocksRepository } from '../../../src/exports/turns/indexed-blocks.repository.js';
import { CoverageRepository } from '../../../src/indexes/engine/coverage/coverage.repository.js';
import { GenesisAllocations } from '../../../src/indexes/evm/sources/genesis-allocations.js';
import { IndexedNetworks } from '../../../src/indexes/overview/indexed-networks.js';
import { Config } from '../../../src/platform/config/config.module.js';
import { parseEnv } from '../../../src/platform/config/env.schema.js';
import { Database } from '../../../src/platform/database/database.js';
import type { EvmChains } from '../../../src/platform/evm-chains/evm-chains.js';
import { ServiceSecret } from '../../../src/platform/secrets/service-secret.entity.js';
import { ServiceSecrets } from '../../../src/platform/secrets/service-secrets.js';

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
  const secrets = new ServiceSecrets(dataSource.getRepository(ServiceSecret));
  return new TransactionExporter(
    database,
    blocks,
    new TokenLabels(blocks),
    chains,
    new IndexedNetworks(database, new Config(parseEnv({ DATABASE_URL: 'postgres://nowhere' }))),
    new GenesisAllocations(database),
    new ArchiveNodes(chains),
    new SearchRecordsRepository(database),
    new ProofMaker(blocks, secrets, database),
    new ExportPartsRepository(database),
    storage,
    space,
  );
}
