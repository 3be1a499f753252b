import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository, SelectQueryBuilder } from 'typeorm';
import { parseUnsignedTransaction } from '../../avalanche/platformvm/codec/transaction.js';
import { isStakerTx, STAKER_TX_TYPES } from '../../avalanche/platformvm/transaction.js';
import {
  NO_ADDRESS,
  StakingTransactionEntity,
} from '../../indexes/p-chain/entities/staking-transaction.entities.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { partitionOf } from '../../platform/database/chains.js';
import type { Statement } from '../../platform/database/database.js';
import { ListDatabase } from '../../platform/database/list-database.js';
import {
  fromPartition,
  selectColumns,
  setOf,
  ShapedQuery,
  toBytes,
} from '../../platform/database/shaped-query.js';
import { FOLLOWS, follows, keysetParameters, ORDERS } from '../../platform/http/pagination/keyset.js';
import type { SortOrder } from '../../platform/http/schemas/query.schema.js';
import {
  DELEGATION,
  STAKING,
  type StakerRow,
  type StakingListRequest,
  type StakingRow,
  UNSIGNED,
  VALIDATION,
} from './staking-transaction-list.js';

const KEYS = { 'l.block_time': 'bigint', 'l.tx_id': 'bytea' } as const;

interface Shape {
  readonly network: NetworkName;
  readonly sortOrder: SortOrder;
  readonly limit: number;
  readonly hasPlace: boolean;
}

@Injectable()
export class StakingTransactionRepository {
  private readonly query = new ShapedQuery((shape: Shape) => this.build(shape));

  constructor(
    @InjectRepository(StakingTransactionEntity)
    private readonly transactions: Repository<StakingTransactionEntity>,
    private readonly database: ListDatabase,
  ) {}

  async list(request: StakingListRequest): Promise<StakingRow[]> {
    return (await this.database.query<Row>(this.statement(request))).map(toRow);
  }

  statement({ network, filters, sortOrder, limit, after }: StakingListRequest): Statement {
    const {
      addresses = [NO_ADDRESS],
      types = STAKER_TX_TYPES,
      from = 0,
      to = Number.MAX_SAFE_INTEGER,
    } = filters;
    return this.query.statement(
      { network, sortOrder, limit, hasPlace: after !== undefined },
      { addresses: addresses.map(toBytes), types, from, to, ...keysetParameters(KEYS, after) },
    );
  }

  private build(shape: Shape): SelectQueryBuilder<StakingTransactionEntity> {
    const { network, sortOrder } = shape;
    const direction = ORDERS[sortOrder];
    const query = fromPartition(this.transactions, 't', network)
      .addCommonTableExpression(walks(shape), 'page')
      .innerJoin('page', 'page', `t.network = '${network}' AND t.txId = page.tx_id`)
      .leftJoin(partitionOf('validators', network), 'v', `v.network = '${network}' AND v.tx_id = t.tx_id`)
      .leftJoin(partitionOf('delegators', network), 'd', `d.network = '${network}' AND d.tx_id = t.tx_id`)
      .orderBy('page.block_time', direction)
      .addOrderBy('page.tx_id', direction);
    selectColumns(query, { t: { columns: [...STAKING.columns, ...UNSIGNED.columns] } });
    for (const { name } of VALIDATION.columns) {
      const isOfBoth = DELEGATION.columns.some((column) => column.name === name);
      query.addSelect(isOfBoth ? `coalesce(v.${name}, d.${name})` : `v.${name}`, name);
    }
    return query.addSelect('d.validator_part', 'validator_part');
  }
}

interface Row {
  /** Of a validator null. */
  readonly validator_part: string | null;
}

function toRow(row: Row): StakingRow {
  const transaction = STAKING.read(row);
  const unsigned = parseUnsignedTransaction(UNSIGNED.read(row).unsigned);
  if (!isStakerTx(unsigned)) throw new TypeError(`transaction ${transaction.txId} stakes nothing`);
  return Object.assign(transaction, { unsigned, staker: toStaker(row) });
}

function toStaker(row: Row): StakerRow {
  return row.validator_part === null
    ? Object.assign(VALIDATION.read(row), { kind: 'validator' as const })
    : Object.assign(DELEGATION.read(row), { kind: 'delegator' as const });
}

/** By block and transaction id: one walk over the key for each address and type, merged. */
function walks({ network, sortOrder, limit, hasPlace }: Shape): string {
  const orderBy = `block_time ${sortOrder}, tx_id ${sortOrder}`;
  const conditions = [
    `l.network = '${network}' AND l.address = address.value AND l.tx_type = type.value`,
    'l.block_time >= (SELECT :from::bigint) AND l.block_time <= (SELECT :to::bigint)',
    ...(hasPlace ? [follows(KEYS, FOLLOWS[sortOrder])] : []),
  ];
  return `
    SELECT DISTINCT found.block_time, found.tx_id
      FROM ${setOf('addresses', 'bytea')} AS address (value) CROSS JOIN ${setOf('types', 'text')} AS type (value)
     CROSS JOIN LATERAL (
       SELECT l.block_time, l.tx_id FROM ${partitionOf('staking_listings', network)} l
        WHERE ${conditions.join(' AND ')}
        ORDER BY ${orderBy} LIMIT ${limit}
     ) found
     ORDER BY ${orderBy} LIMIT ${limit}`;
}
