import type { DataSource } from 'typeorm';
import { DelegatorEntity } from '../../../src/indexes/p-chain/entities/delegator.entities.js';
import { Database } from '../../../src/platform/database/database.js';
import { DelegatorRepository } from '../../../src/resources/delegators/delegator.repository.js';

/** The repositories of the lists, for what looks at their statements. */
export function listRepositories(dataSource: DataSource) {
  const database = new Database(dataSource);
  return {
    delegators: new DelegatorRepository(dataSource.getRepository(DelegatorEntity), database),
  };
}
