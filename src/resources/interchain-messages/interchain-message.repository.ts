import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { ObjectLiteral, Repository, SelectQueryBuilder } from 'typeorm';
import type { NetworkName } from '../../platform/config/config.module.js';
import { partitionOf } from '../../platform/database/chains.js';
import type { Statement } from '../../platform/database/database.js';
import { ListDatabase } from '../../platform/database/list-database.js';
import { fromPartition, ShapedQuery, toBytes } from '../../platform/database/shaped-query.js';
import { FOLLOWS, follows, keysetParameters } from '../../platform/http/pagination/keyset.js';
import { IcmListing } from './entities/icm.entities.js';
import type { ListedMessageRow, MessageListRequest } from './message-list.js';
import { messagesOf } from './message-query.js';

const KEYS = { 'l.sort_time': 'bigint', 'l.message_id': 'bytea' } as const;

interface Shape {
  readonly networks: readonly NetworkName[];
  readonly limit: number;
  /** Of the last page's last message. */
  readonly placeNetwork: string | undefined;
}

@Injectable()
export class InterchainMessageRepository {
  private readonly query = new ShapedQuery((shape: Shape) => this.build(shape));

  constructor(
    @InjectRepository(IcmListing) private readonly listings: Repository<IcmListing>,
    private readonly database: ListDatabase,
  ) {}

  list(request: MessageListRequest): Promise<ListedMessageRow[]> {
    return this.database.query(this.statement(request));
  }

  /**
   * The messages of an address, the newest first, in the version of the list in which the first page was read: one walk over an index
   * for each network. What is not in the list itself is of the moment.
   */
  statement({ networks, limit, address, after }: MessageListRequest): Statement {
    const [version, time = null, messageId = null, network] = after ?? [];
    return this.query.statement(
      { networks, limit, placeNetwork: network ?? undefined },
      {
        address: toBytes(address),
        ...(after && { version, ...keysetParameters(KEYS, [time, messageId]) }),
      },
    );
  }

  private build(shape: Shape): SelectQueryBuilder<ObjectLiteral> {
    const { manager } = this.listings;
    return messagesOf(manager, shape.networks, (network) => this.walk(network, shape).getQuery())
      .addSelect(versionOf(shape), 'version')
      .orderBy({ 'page.sort_time': 'DESC', 'page.message_id': 'DESC', 'page.network': 'DESC' })
      .limit(shape.limit);
  }

  private walk(network: NetworkName, shape: Shape): SelectQueryBuilder<IcmListing> {
    const { limit, placeNetwork } = shape;
    const version = versionOf(shape);
    const walk = fromPartition(this.listings, 'l', network)
      .select('l.sort_time', 'sort_time')
      .addSelect('l.message_id', 'message_id')
      .where(`l.network = '${network}' AND l.address = :address::bytea AND l.since_version <= ${version}`)
      .andWhere(`(l.until_version IS NULL OR (l.until_version > ${version} AND ${isReported(network)}))`)
      .orderBy('l.sort_time', 'DESC')
      .addOrderBy('l.message_id', 'DESC')
      .limit(limit);
    if (placeNetwork === undefined) return walk;
    // Two networks may have the same message, where both names stand for local ones.
    return walk.andWhere(follows(KEYS, network < placeNetwork ? '<=' : FOLLOWS.desc));
  }
}

/** That of the first page. */
function versionOf({ placeNetwork }: Shape): string {
  return placeNetwork === undefined ? '(SELECT version FROM icm_list_version)' : ':version::bigint';
}

/** Messages of a chain that is read anew are in earlier versions, and not known until it has come to them again. */
function isReported(network: NetworkName): string {
  const isIn = (table: string): string =>
    `EXISTS (SELECT FROM ${partitionOf(table, network)} AS report WHERE report.network = '${network}' AND report.message_id = l.message_id)`;
  return `(${isIn('icm_sends')} OR ${isIn('icm_deliveries')})`;
}
