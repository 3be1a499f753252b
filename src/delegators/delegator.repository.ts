import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type DelegatorListRequest, type DelegatorRow, delegators } from './delegator-list.js';

@Injectable()
export class DelegatorRepository {
  constructor(private readonly dataSource: DataSource) {}

  list(request: DelegatorListRequest): Promise<DelegatorRow[]> {
    const { text, values } = delegators(request);
    return this.dataSource.query(text, [...values]);
  }
}
