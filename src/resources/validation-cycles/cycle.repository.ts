import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { ObjectLiteral, Repository, SelectQueryBuilder } from 'typeorm';
import { ValidationCycle } from '../../indexes/p-chain/entities/validation-cycle.entity.js';
import { ValidatorEntity } from '../../indexes/p-chain/entities/validator.entity.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import type { Statement } from '../../platform/database/database.js';
import { ListDatabase } from '../../platform/database/list-database.js';
import { fromPartition, selectColumns, ShapedQuery, toBytes } from '../../platform/database/shaped-query.js';
import { FOLLOWS, follows, keysetParameters, ORDERS } from '../../platform/http/pagination/keyset.js';
import type { SortOrder } from '../../platform/http/schemas/query.schema.js';
import { type CycleListRequest, RUNNING, type RunningRow, SETTLED, type SettledRow } from './cycle-list.js';

const KEYS = { 'c.start_time': 'bigint', 'c.tx_id': 'bytea' } as const;

interface Shape {
  readonly network: NetworkName;
  readonly sortOrder: SortOrder;
  readonly limit: number;
  readonly hasPlace: boolean;
  readonly hasTxId: boolean;
}

/** How columns of the cycle that runs are named beside those of a cycle that is over. */
const ofRunning = (name: string): string => `running_${name}`;

@Injectable()
export class CycleRepository {
  private readonly query = new ShapedQuery((shape: Shape) => this.build(shape));

  constructor(
    @InjectRepository(ValidationCycle) private readonly cycles: Repository<ValidationCycle>,
    @InjectRepository(ValidatorEntity) private readonly validators: Repository<ValidatorEntity>,
    private readonly database: ListDatabase,
  ) {}

  /** The cycle that runs comes with the first page, as it was when the page was read. */
  async list(request: CycleListRequest): Promise<{ rows: SettledRow[]; running: RunningRow | undefined }> {
    const found = await this.database.query<Record<string, unknown>>(this.statement(request));
    const rows = found.filter((row) => row['tx_id'] !== null).map(SETTLED.read);
    return { rows, running: readRunning(found[0]) };
  }

  statement({ network, nodeId, txId, sortOrder, limit, after }: CycleListRequest): Statement {
    return this.query.statement(
      { network, sortOrder, limit, hasPlace: after !== undefined, hasTxId: txId !== undefined },
      {
        nodeId: toBytes(nodeId),
        ...(txId !== undefined && { txId: toBytes(txId) }),
        ...keysetParameters(KEYS, after),
      },
    );
  }

  /** Of the first page, each row has the cycle that runs beside it; where no cycle is over, it stands alone. */
  private build(shape: Shape): SelectQueryBuilder<ObjectLiteral> {
    const page = this.buildSettled(shape);
    if (shape.hasPlace) return page;
    const query = this.cycles.manager
      .createQueryBuilder()
      .addCommonTableExpression(page.getQuery(), 'page')
      .addCommonTableExpression(this.buildRunning(shape).getQuery(), 'running')
      .from('(VALUES (true))', 'always')
      .leftJoin('page', 'page', 'true')
      .leftJoin('running', 'running', 'true')
      .orderBy('page.start_time', directionOf(shape))
      .addOrderBy('page.tx_id', directionOf(shape));
    selectColumns(query, { page: SETTLED });
    for (const { name } of RUNNING.columns) query.addSelect(`running.${name}`, ofRunning(name));
    return query;
  }

  private buildSettled(shape: Shape): SelectQueryBuilder<ValidationCycle> {
    const conditions = [
      'c.node_id = :nodeId::bytea',
      ...(shape.hasTxId ? ['c.tx_id = :txId::bytea'] : []),
      ...(shape.hasPlace ? [follows(KEYS, FOLLOWS[shape.sortOrder])] : []),
    ];
    return selectColumns(fromPartition(this.cycles, 'c', shape.network), { c: SETTLED })
      .where(conditions.join(' AND '))
      .orderBy('c.start_time', directionOf(shape))
      .addOrderBy('c.tx_id', directionOf(shape))
      .limit(shape.limit);
  }

  private buildRunning({ network, hasTxId }: Shape): SelectQueryBuilder<ValidatorEntity> {
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

function directionOf({ sortOrder }: Shape): 'ASC' | 'DESC' {
  return ORDERS[sortOrder];
}

function readRunning(row: Readonly<Record<string, unknown>> = {}): RunningRow | undefined {
  if ((row[ofRunning('tx_id')] ?? null) === null) return undefined;
  const own = RUNNING.columns.map(({ name }) => [name, row[ofRunning(name)]] as const);
  return RUNNING.read(Object.fromEntries(own)) as RunningRow; // it renews itself
}
