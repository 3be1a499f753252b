import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { type DelegatorListRequest, type DelegatorRow, delegators } from './delegator-list.js';

@Injectable()
export class DelegatorRepository {
  constructor(private readonly database: Database) {}

  list(request: DelegatorListRequest): Promise<DelegatorRow[]> {
    return this.database.query(delegators(request));
  }
}
