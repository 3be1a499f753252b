import { Module } from '@nestjs/common';
import { join } from 'node:path';
import { Config } from '../../platform/config/config.module.js';
import { ServiceSecrets } from '../../platform/secrets/service-secrets.js';
import { ServiceSecretsModule } from '../../platform/secrets/service-secrets.module.js';
import { ExportStorage } from './export-storage.js';
import type { StoragePlace } from './storage-place.js';
import { FolderStorage } from './folder-storage.js';
import { OwnedStorage } from './owned-storage.js';
import { parseStorageUrl } from './storage-url.js';

/** By what the database is known to the storage; nothing else is made of this one. */
const OWNER_NAME = 'export-storage';

/** The configured export storage. */
@Module({
  imports: [ServiceSecretsModule],
  providers: [{ provide: ExportStorage, inject: [Config, ServiceSecrets], useFactory: openStorage }],
  exports: [ExportStorage],
})
export class ExportStorageModule {}

async function openStorage(config: Config, secrets: ServiceSecrets): Promise<ExportStorage> {
  const place = await openPlace(config);
  return new OwnedStorage(place, async () => Buffer.from(await secrets.get(OWNER_NAME)).toString('hex'));
}

async function openPlace({ env, dataDir }: Config): Promise<StoragePlace> {
  const location = parseStorageUrl(env.EXPORT_STORAGE_URL ?? join(dataDir, 'exports'));
  if (location.kind === 'folder') return new FolderStorage(location.folder);
  // Loaded only where it is used: it takes 0.12 s and 24 MB of every process.
  const { S3Storage } = await import('./s3-storage.js');
  return S3Storage.open(location);
}
