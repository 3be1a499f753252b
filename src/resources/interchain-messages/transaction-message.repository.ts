import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { ObjectLiteral, Repository, SelectQueryBuilder } from 'typeorm';
import type { NetworkName } from '../../platform/config/config.module.js';
import { partitionOf } from '../../platform/database/chains.js';
import type { Statement } from '../../platform/database/database.js';
import { ListDatabase } from '../../platform/database/list-database.js';
import { ShapedQuery, toBytes } from '../../platform/database/shaped-query.js';
import { FOLLOWS, follows, keysetParameters } from '../../platform/http/pagination/keyset.js';
import { IcmSend } from './entities/icm.entities.js';
import type { TransactionMessageRow, TransactionMessagesRequest } from './message-list.js';
import { messagesOf } from './message-query.js';

const KEYS = { 'l.log_index': 'int', 'l.message_id': 'bytea' } as const;

interface Shape {
  readonly networks: readonly NetworkName[];
  readonly limit: number;
  /** Of the last page's last message. */
  readonly placeNetwork: string | undefined;
}

@Injectable()
export class TransactionMessageRepository {
  private readonly query = new ShapedQuery((shape: Shape) => this.build(shape));

  constructor(
    @InjectRepository(IcmSend) private readonly sends: Repository<IcmSend>,
    private readonly database: ListDatabase,
  ) {}

  list(request: TransactionMessagesRequest): Promise<TransactionMessageRow[]> {
    return this.database.query(this.statement(request));
  }

  /** Messages that a transaction has sent or received, the last first: its logs do not move, so that a place in them is one for all times. */
  statement({ networks, limit, txHash, after }: TransactionMessagesRequest): Statement {
    const [logIndex = null, messageId = null, network] = after ?? [];
    return this.query.statement(
      { networks, limit, placeNetwork: network ?? undefined },
      { txHash: toBytes(txHash), ...(after && keysetParameters(KEYS, [logIndex, messageId])) },
    );
  }

  private build(shape: Shape): SelectQueryBuilder<ObjectLiteral> {
    const { manager } = this.sends;
    return messagesOf(manager, shape.networks, (network) => this.placesIn(network, shape).getQuery())
      .orderBy({ 'page.log_index': 'DESC', 'page.message_id': 'DESC', 'page.network': 'DESC' })
      .limit(shape.limit);
  }

  private placesIn(network: NetworkName, { limit, placeNetwork }: Shape): SelectQueryBuilder<ObjectLiteral> {
    const sides = ['icm_sends', 'icm_deliveries'].map(
      (table) =>
        `SELECT message_id, log_index FROM ${partitionOf(table, network)} WHERE tx_hash = :txHash::bytea`,
    );
    const places = this.sends.manager
      .createQueryBuilder()
      .select('l.message_id', 'message_id')
      .addSelect('l.log_index', 'log_index')
      .from(
        `(SELECT message_id, max(log_index) AS log_index FROM (${sides.join(' UNION ALL ')}) AS side GROUP BY message_id)`,
        'l',
      )
      .orderBy('l.log_index', 'DESC')
      .addOrderBy('l.message_id', 'DESC')
      .limit(limit);
    if (placeNetwork === undefined) return places;
    // As in the lists of addresses: two networks may have the same transaction.
    return places.where(follows(KEYS, network < placeNetwork ? '<=' : FOLLOWS.desc));
  }
}
