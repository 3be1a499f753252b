import { ApiKeysRepository } from '../../src/access/keys/api-keys.repository.js';
import { KeyKeeper } from '../../src/access/keys/key-keeper.js';
import type { DataSource } from 'typeorm';

const PLAN = 'bench';
const UNLIMITED = { unitsPerMinute: 1_000_000_000_000, unitsPerDay: 1_000_000_000_000 };

/** An API key whose requests are counted and never refused. */
export async function createUnlimitedKey(dataSource: DataSource, orgId: string): Promise<string> {
  const keeper = new KeyKeeper(ApiKeysRepository.of(dataSource));
  await keeper.savePlan({ plan: PLAN }, UNLIMITED);
  return (await keeper.create({ orgId, alias: 'bench', plan: PLAN })).key;
}
