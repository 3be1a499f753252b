import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { ObjectLiteral, Repository, SelectQueryBuilder } from 'typeorm';
import { L1ValidatorEntity } from '../../indexes/p-chain/entities/l1-validator.entity.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { P_CHAIN } from '../../platform/database/chains.js';
import type { Statement } from '../../platform/database/database.js';
import { ListDatabase } from '../../platform/database/list-database.js';
import { fromPartition, selectColumns, ShapedQuery, toBytes } from '../../platform/database/shaped-query.js';
import { FOLLOWS, follows, keysetParameters } from '../../platform/http/pagination/keyset.js';
import {
  type FeeClock,
  L1_VALIDATOR,
  type L1ValidatorListRequest,
  type L1ValidatorRow,
} from './l1-validator-list.js';

const KEYS = { 'l.start_time': 'bigint', 'l.validation_id': 'bytea' } as const;

/** The clock of every row, and of none where the index has nothing to list. */
interface ClockRow extends Record<'height' | 'time' | 'accruedFees' | 'validatorExcess', string> {
  readonly validation_id: Buffer | null;
}

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
    private readonly database: ListDatabase,
  ) {}

  /** All as of one block; its clock is undefined before the index has begun. */
  async list(
    request: L1ValidatorListRequest,
  ): Promise<{ rows: readonly L1ValidatorRow[]; clock: FeeClock | undefined }> {
    const found = await this.database.query<ClockRow>(this.statement(request));
    const rows = found.filter((row) => row.validation_id !== null).map(L1_VALIDATOR.read);
    const [first] = found;
    return { rows, clock: first && toClock(first) };
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

  private build(shape: Shape): SelectQueryBuilder<ObjectLiteral> {
    const conditions = [
      'true',
      ...(shape.includeInactive ? [] : ['l.weight > 0 AND l.end_accumulated_fee > 0']),
      ...shape.columns.map((name) => `l.${COLUMNS[name]} = :${name}::bytea`),
      ...(shape.hasPlace ? [follows(KEYS, FOLLOWS.desc)] : []),
    ];
    const page = selectColumns(fromPartition(this.validators, 'l', shape.network), { l: L1_VALIDATOR })
      .where(conditions.join(' AND '))
      .orderBy('l.start_time', 'DESC')
      .addOrderBy('l.validation_id', 'DESC')
      .limit(shape.limit);
    const query = this.validators.manager
      .createQueryBuilder()
      .addCommonTableExpression(page.getQuery(), 'page')
      .from('index_checkpoints', 'checkpoint')
      .leftJoin('page', 'page', 'true')
      .where(`checkpoint.network = '${shape.network}' AND checkpoint.chain = '${P_CHAIN}'`)
      .orderBy('page.start_time', 'DESC')
      .addOrderBy('page.validation_id', 'DESC');
    return selectColumns(query, { page: L1_VALIDATOR })
      .addSelect('checkpoint.height', 'height')
      .addSelect('checkpoint.block_time', 'time')
      .addSelect(`checkpoint.state ->> 'accruedFees'`, 'accruedFees')
      .addSelect(`checkpoint.state ->> 'validatorExcess'`, 'validatorExcess');
  }
}

function isColumn(name: string): name is keyof typeof COLUMNS {
  return name in COLUMNS;
}

function toClock({ height, time, accruedFees, validatorExcess }: ClockRow): FeeClock {
  return {
    height: BigInt(height),
    time: Number(time),
    accruedFees: BigInt(accruedFees),
    validatorExcess: BigInt(validatorExcess),
  };
}
