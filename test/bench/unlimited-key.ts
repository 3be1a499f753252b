import { ApiKeysRepository } from '../../src/access/keys/api-keys.repository.js';
import { KeyKeeper } from '../../src/access/keys/key-keeper.js';
import type { PlanLimits } from '../../src/access/keys/dto/api-keys.request.js';
import type { DataSource } from 'typeorm';

const PLAN = 'unlimited';
const MUCH = 1_000_000_000_000;
const MANY = 1_000_000;
const UNLIMITED = {
  unitsPerMinute: MUCH,
  unitsPerDay: MUCH,
  runningExports: MANY,
  storedExports: MANY,
  storedBytes: MUCH,
  nodeCallsPerDay: MUCH,
  waitingAggregations: MANY,
};

/** An API key whose requests are counted and never refused, but for those that reach one of the limits given. */
export async function createUnlimitedKey(
  dataSource: DataSource,
  orgId: string,
  limits: PlanLimits = {},
): Promise<string> {
  const keeper = new KeyKeeper(ApiKeysRepository.of(dataSource));
  await keeper.savePlan({ plan: PLAN }, UNLIMITED);
  await keeper.savePlan({ plan: PLAN }, limits);
  return (await keeper.create({ orgId, alias: 'load', plan: PLAN })).key;
}
