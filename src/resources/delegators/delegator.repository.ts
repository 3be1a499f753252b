import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository, SelectQueryBuilder } from 'typeorm';
import { DelegatorEntity } from '../../indexes/p-chain/entities/delegator.entities.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import type { Statement } from '../../platform/database/database.js';
import { ListDatabase } from '../../platform/database/list-database.js';
import { columnsOf } from '../../platform/database/entity-columns.js';
import { partitionOf } from '../../platform/database/chains.js';
import {
  fromPartition,
  selectColumns,
  setOf,
  ShapedQuery,
  toBytes,
} from '../../platform/database/shaped-query.js';
import { FOLLOWS, follows, keysetParameters, ORDERS } from '../../platform/http/pagination/keyset.js';
import type { SortOrder } from '../../platform/http/schemas/query.schema.js';
import { DELEGATION_STATUSES, type DelegatorListRequest, type DelegatorRow } from './delegator-list.js';

const ROW = columnsOf(
  DelegatorEntity,
  ...(['txId', 'nodeId', 'status', 'weight', 'shares', 'start', 'end'] as const),
  ...(['potentialReward', 'validatorPart', 'paidReward', 'isRewarded', 'rewardsOwner'] as const),
);

const KEYS = { 'd.start_time': 'bigint', 'd.tx_id': 'bytea' } as const;

interface Shape {
  readonly network: NetworkName;
  readonly sortOrder: SortOrder;
  readonly limit: number;
  readonly hasPlace: boolean;
  readonly hasAddresses: boolean;
  readonly hasNodes: boolean;
}

@Injectable()
export class DelegatorRepository {
  private readonly query = new ShapedQuery((shape: Shape) => this.build(shape));

  constructor(
    @InjectRepository(DelegatorEntity) private readonly delegators: Repository<DelegatorEntity>,
    private readonly database: ListDatabase,
  ) {}

  async list(request: DelegatorListRequest): Promise<DelegatorRow[]> {
    const rows = await this.database.query(this.statement(request));
    return rows.map((row) => ROW.read(row) as DelegatorRow); // no delegator is removed
  }

  statement({ network, filters, sortOrder, limit, after }: DelegatorListRequest): Statement {
    const { status, rewardAddresses, nodeIds } = filters;
    const shape = { network, sortOrder, limit, hasPlace: after !== undefined };
    return this.query.statement(
      { ...shape, hasAddresses: rewardAddresses !== undefined, hasNodes: nodeIds !== undefined },
      {
        statuses: status === undefined ? DELEGATION_STATUSES : [status],
        ...(rewardAddresses && { rewardAddresses: rewardAddresses.map(toBytes) }),
        ...(nodeIds && { nodeIds: nodeIds.map(toBytes) }),
        ...keysetParameters(KEYS, after),
      },
    );
  }

  private build(shape: Shape): SelectQueryBuilder<DelegatorEntity> {
    const { network, sortOrder } = shape;
    const direction = ORDERS[sortOrder];
    const query = fromPartition(this.delegators, 'd', network)
      .addCommonTableExpression(walks(shape), 'page')
      .innerJoin('page', 'page', `d.network = '${network}' AND d.txId = page.tx_id`)
      .orderBy('page.start_time', direction)
      .addOrderBy('page.tx_id', direction);
    return selectColumns(query, { d: ROW });
  }
}

/** By start and transaction id: one walk over an index for each status and each address or node, merged. */
function walks({ network, sortOrder, limit, hasPlace, hasAddresses, hasNodes }: Shape): string {
  const orderBy = `start_time ${sortOrder}, tx_id ${sortOrder}`;
  const table = hasAddresses ? 'delegator_reward_addresses' : 'delegators';
  const conditions = [
    'd.status = status.value',
    ...(hasAddresses ? ['d.address = one.id'] : hasNodes ? ['d.node_id = one.id'] : []),
    ...(hasAddresses && hasNodes ? ['d.node_id = ANY(:nodeIds::bytea[])'] : []),
    ...(hasPlace ? [follows(KEYS, FOLLOWS[sortOrder])] : []),
  ];
  const one = hasAddresses
    ? setOf('rewardAddresses', 'bytea')
    : hasNodes
      ? setOf('nodeIds', 'bytea')
      : undefined;
  return `
    SELECT DISTINCT found.start_time, found.tx_id
      FROM ${setOf('statuses', 'text')} AS status (value)${one === undefined ? '' : ` CROSS JOIN ${one} AS one (id)`}
     CROSS JOIN LATERAL (
       SELECT d.start_time, d.tx_id FROM ${partitionOf(table, network)} d
        WHERE ${conditions.join(' AND ')}
        ORDER BY ${orderBy} LIMIT ${limit}
     ) found
     ORDER BY ${orderBy} LIMIT ${limit}`;
}
