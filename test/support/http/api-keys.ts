import { KEY_ENTITIES } from '../../../src/access/keys/api-key.entities.js';
import { ApiKeysRepository } from '../../../src/access/keys/api-keys.repository.js';
import { KeyKeeper } from '../../../src/access/keys/key-keeper.js';
import { openDataSource } from '../../../src/platform/database/data-source.js';
import { patientDataSource } from '../harness/data-source-options.js';

/** The header with a new key of an organisation. */
export async function headersWithKey(databaseUrl: string, orgId: string): Promise<Record<string, string>> {
  const options = { url: databaseUrl, poolSize: 1, entities: KEY_ENTITIES };
  const dataSource = await openDataSource(patientDataSource(options));
  try {
    const keeper = new KeyKeeper(ApiKeysRepository.of(dataSource));
    const { key } = await keeper.create({ orgId, alias: 'test', plan: 'free' });
    return { 'x-data-api-key': key };
  } finally {
    await dataSource.destroy();
  }
}
