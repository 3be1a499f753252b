import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository, SelectQueryBuilder } from 'typeorm';
import { BlockchainEntity } from '../../indexes/p-chain/entities/subnet.entities.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import type { Statement } from '../../platform/database/database.js';
import { ListDatabase } from '../../platform/database/list-database.js';
import { columnsWithout } from '../../platform/database/entity-columns.js';
import { fromPartition, selectColumns, ShapedQuery, toBytes } from '../../platform/database/shaped-query.js';
import {
  FOLLOWS,
  follows,
  type Keyset,
  keysetParameters,
  ORDERS,
  type PagePlace,
} from '../../platform/http/pagination/keyset.js';
import type { SortOrder } from '../../platform/http/schemas/query.schema.js';
import { BLOCKCHAIN, type ListedBlockchainRow } from './subnet-list.js';

const KEYS = { 'b.block_height': 'bigint', 'b.blockchain_id': 'bytea' } as const;

const WHOLE = columnsWithout(BlockchainEntity, 'network', 'fxIds');
export type WholeBlockchain = ReturnType<typeof WHOLE.read>;

export interface BlockchainListRequest extends PagePlace {
  readonly network: NetworkName;
  readonly sortOrder: SortOrder;
}

interface Shape extends Pick<BlockchainListRequest, 'network' | 'sortOrder' | 'limit'> {
  readonly hasPlace: boolean;
}

export function keysetOf({ blockHeight, blockchainId }: ListedBlockchainRow): Keyset {
  return [blockHeight.toString(), blockchainId];
}

@Injectable()
export class BlockchainRepository {
  private readonly query = new ShapedQuery((shape: Shape) => this.build(shape));
  private readonly oneQuery = new ShapedQuery(({ network }: Pick<Shape, 'network'>) =>
    selectColumns(fromPartition(this.blockchains, 'b', network), { b: WHOLE }).where(
      'b.blockchain_id = :blockchainId::bytea',
    ),
  );

  constructor(
    @InjectRepository(BlockchainEntity) private readonly blockchains: Repository<BlockchainEntity>,
    private readonly database: ListDatabase,
  ) {}

  async list(request: BlockchainListRequest): Promise<ListedBlockchainRow[]> {
    return (await this.database.query(this.statement(request))).map(BLOCKCHAIN.read);
  }

  async find(network: NetworkName, blockchainId: string): Promise<WholeBlockchain | undefined> {
    const parameters = { blockchainId: toBytes(blockchainId) };
    const [row] = await this.database.query(this.oneQuery.statement({ network }, parameters));
    return row === undefined ? undefined : WHOLE.read(row);
  }

  /** By the block that created them, and id. */
  statement({ network, sortOrder, limit, after }: BlockchainListRequest): Statement {
    const shape = { network, sortOrder, limit, hasPlace: after !== undefined };
    return this.query.statement(shape, keysetParameters(KEYS, after));
  }

  private build({ network, sortOrder, limit, hasPlace }: Shape): SelectQueryBuilder<BlockchainEntity> {
    const direction = ORDERS[sortOrder];
    return selectColumns(fromPartition(this.blockchains, 'b', network), { b: BLOCKCHAIN })
      .where(hasPlace ? follows(KEYS, FOLLOWS[sortOrder]) : 'true')
      .orderBy('b.block_height', direction)
      .addOrderBy('b.blockchain_id', direction)
      .limit(limit);
  }
}
