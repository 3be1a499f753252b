import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository, SelectQueryBuilder } from 'typeorm';
import { ValidationCycle } from '../../indexes/p-chain/entities/validation-cycle.entity.js';
import { ValidatorEntity } from '../../indexes/p-chain/entities/validator.entity.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { Database, type Queryable, type Statement } from '../../platform/database/database.js';
import { fromPartition, selectColumns, ShapedQuery, toBytes } from '../../platform/database/shaped-query.js';
import { FOLLOWS, follows, keysetParameters } from '../../platform/http/pagination/keyset.js';
import type { SortOrder } from '../../platform/http/schemas/query.schema.js';
import {
  type CycleFilters,
  type CycleListRequest,
  RUNNING,
  type RunningRow,
  SETTLED,
  type SettledRow,
} from './cycle-list.js';

const KEYS = { 'c.start_time': 'bigint', 'c.tx_id': 'bytea' } as const;

interface Shape {
  readonly network: NetworkName;
  readonly sortOrder: SortOrder;
  readonly limit: number;
  readonly hasPlace: boolean;
  readonly hasTxId: boolean;
}

@Injectable()
export class CycleRepository {
  private readonly settledQuery = new ShapedQuery((shape: Shape) => this.buildSettled(shape));
  private readonly runningQuery = new ShapedQuery((shape: Pick<Shape, 'network' | 'hasTxId'>) =>
    this.buildRunning(shape),
  );

  constructor(
    @InjectRepository(ValidationCycle) private readonly cycles: Repository<ValidationCycle>,
    @InjectRepository(ValidatorEntity) private readonly validators: Repository<ValidatorEntity>,
    private readonly database: Database,
  ) {}

  /** The cycle that runs comes with the first page, as it was when the page was read. */
  async list(request: CycleListRequest): Promise<{ rows: SettledRow[]; running?: RunningRow }> {
    if (request.after !== undefined) return { rows: await this.settled(this.database, request) };
    return this.database.transaction(
      async (transaction) => {
        const rows = await this.settled(transaction, request);
        const [running] = (await transaction.query(this.running(request))).map(RUNNING.read);
        return running === undefined ? { rows } : { rows, running: running as RunningRow }; // it renews itself
      },
      { begin: 'BEGIN ISOLATION LEVEL REPEATABLE READ' },
    );
  }

  statement({ network, nodeId, txId, sortOrder, limit, after }: CycleListRequest): Statement {
    return this.settledQuery.statement(
      { network, sortOrder, limit, hasPlace: after !== undefined, hasTxId: txId !== undefined },
      { ...parametersOf(nodeId, txId), ...keysetParameters(KEYS, after) },
    );
  }

  running({ network, nodeId, txId }: CycleFilters): Statement {
    return this.runningQuery.statement({ network, hasTxId: txId !== undefined }, parametersOf(nodeId, txId));
  }

  private async settled(source: Queryable, request: CycleListRequest): Promise<SettledRow[]> {
    return (await source.query(this.statement(request))).map(SETTLED.read);
  }

  private buildSettled({
    network,
    sortOrder,
    limit,
    hasPlace,
    hasTxId,
  }: Shape): SelectQueryBuilder<ValidationCycle> {
    const direction = sortOrder === 'asc' ? 'ASC' : 'DESC';
    const conditions = [
      'c.node_id = :nodeId::bytea',
      ...(hasTxId ? ['c.tx_id = :txId::bytea'] : []),
      ...(hasPlace ? [follows(KEYS, FOLLOWS[sortOrder])] : []),
    ];
    return selectColumns(fromPartition(this.cycles, 'c', network), { c: SETTLED })
      .where(conditions.join(' AND '))
      .orderBy('c.start_time', direction)
      .addOrderBy('c.tx_id', direction)
      .limit(limit);
  }

  private buildRunning({
    network,
    hasTxId,
  }: Pick<Shape, 'network' | 'hasTxId'>): SelectQueryBuilder<ValidatorEntity> {
    const conditions = [
      'v.node_id = :nodeId::bytea',
      `v.status = 'active'`,
      'v.auto_renewal_next_period IS NOT NULL',
      ...(hasTxId ? ['v.tx_id = :txId::bytea'] : []),
    ];
    return selectColumns(fromPartition(this.validators, 'v', network), { v: RUNNING }).where(
      conditions.join(' AND '),
    );
  }
}

function parametersOf(nodeId: string, txId: string | undefined) {
  return { nodeId: toBytes(nodeId), ...(txId !== undefined && { txId: toBytes(txId) }) };
}
