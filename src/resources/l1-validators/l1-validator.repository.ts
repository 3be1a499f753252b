import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository, SelectQueryBuilder } from 'typeorm';
import { L1ValidatorEntity } from '../../indexes/p-chain/entities/l1-validator.entity.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { P_CHAIN } from '../../platform/database/chains.js';
import { Database, type Queryable, type Statement } from '../../platform/database/database.js';
import { fromPartition, selectColumns, ShapedQuery, toBytes } from '../../platform/database/shaped-query.js';
import { FOLLOWS, follows, keysetParameters } from '../../platform/http/pagination/keyset.js';
import {
  type FeeClock,
  L1_VALIDATOR,
  type L1ValidatorListRequest,
  type L1ValidatorRow,
} from './l1-validator-list.js';

const KEYS = { 'l.start_time': 'bigint', 'l.validation_id': 'bytea' } as const;

interface Shape {
  readonly network: NetworkName;
  readonly limit: number;
  readonly hasPlace: boolean;
  readonly includeInactive: boolean;
  readonly columns: readonly (keyof typeof COLUMNS)[];
}

const COLUMNS = { validationId: 'validation_id', nodeId: 'node_id', subnetId: 'subnet_id' } as const;

@Injectable()
export class L1ValidatorListRepository {
  private readonly query = new ShapedQuery((shape: Shape) => this.build(shape));

  constructor(
    @InjectRepository(L1ValidatorEntity) private readonly validators: Repository<L1ValidatorEntity>,
    private readonly database: Database,
  ) {}

  /** All as of one block; its clock is undefined before the index has begun. */
  list(
    request: L1ValidatorListRequest,
  ): Promise<{ rows: readonly L1ValidatorRow[]; clock: FeeClock | undefined }> {
    return this.database.transaction(
      async (transaction) => ({
        rows: (await transaction.query(this.statement(request))).map(L1_VALIDATOR.read),
        clock: await readClock(transaction, request.network),
      }),
      { begin: 'BEGIN ISOLATION LEVEL REPEATABLE READ' },
    );
  }

  /** Newest first. */
  statement({ network, filters, limit, after }: L1ValidatorListRequest): Statement {
    const { includeInactive, ...ids } = filters;
    const columns = Object.keys(COLUMNS)
      .filter(isColumn)
      .filter((name) => ids[name] !== undefined);
    const values = columns.map((name) => [name, toBytes(ids[name] ?? '')] as const);
    return this.query.statement(
      { network, limit, hasPlace: after !== undefined, includeInactive, columns },
      { ...Object.fromEntries(values), ...keysetParameters(KEYS, after) },
      { onePlan: columns.length === 0 },
    );
  }

  private build(shape: Shape): SelectQueryBuilder<L1ValidatorEntity> {
    const conditions = [
      'true',
      ...(shape.includeInactive ? [] : ['l.weight > 0 AND l.end_accumulated_fee > 0']),
      ...shape.columns.map((name) => `l.${COLUMNS[name]} = :${name}::bytea`),
      ...(shape.hasPlace ? [follows(KEYS, FOLLOWS.desc)] : []),
    ];
    return selectColumns(fromPartition(this.validators, 'l', shape.network), { l: L1_VALIDATOR })
      .where(conditions.join(' AND '))
      .orderBy('l.start_time', 'DESC')
      .addOrderBy('l.validation_id', 'DESC')
      .limit(shape.limit);
  }
}

function isColumn(name: string): name is keyof typeof COLUMNS {
  return name in COLUMNS;
}

async function readClock(source: Queryable, network: NetworkName): Promise<FeeClock | undefined> {
  const [row] = await source.query<Record<'height' | 'time' | 'accruedFees' | 'validatorExcess', string>>({
    text: `SELECT height, block_time AS "time", state ->> 'accruedFees' AS "accruedFees",
                  state ->> 'validatorExcess' AS "validatorExcess"
             FROM index_checkpoints WHERE network = $1 AND chain = $2`,
    values: [network, P_CHAIN],
  });
  if (row === undefined) return undefined;
  return {
    height: BigInt(row.height),
    time: Number(row.time),
    accruedFees: BigInt(row.accruedFees),
    validatorExcess: BigInt(row.validatorExcess),
  };
}
