import { Module } from '@nestjs/common';
import { join } from 'node:path';
import { Config } from '../config/config.module.js';
import { ExportStorage } from './export-storage.js';
import { FolderStorage } from './folder-storage.js';
import { parseStorageUrl } from './storage-url.js';

/** The configured export storage. */
@Module({
  providers: [{ provide: ExportStorage, inject: [Config], useFactory: openStorage }],
  exports: [ExportStorage],
})
export class ExportStorageModule {}

async function openStorage({ env, dataDir }: Config): Promise<ExportStorage> {
  const location = parseStorageUrl(env.EXPORT_STORAGE_URL ?? join(dataDir, 'exports'));
  if (location.kind === 'folder') return new FolderStorage(location.folder);
  // Loaded only where it is used: it takes 0.12 s and 24 MB of every process.
  const { S3Storage } = await import('./s3-storage.js');
  return S3Storage.open(location);
}
