import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { ObjectLiteral, Repository, SelectQueryBuilder } from 'typeorm';
import type { NetworkName } from '../../platform/config/config.module.js';
import { Database, type Statement } from '../../platform/database/database.js';
import { partitionOf } from '../../platform/database/chains.js';
import { fromPartition, ShapedQuery, toBytes } from '../../platform/database/shaped-query.js';
import { FOLLOWS, follows, keysetParameters } from '../../platform/http/pagination/keyset.js';
import { IcmListing } from './entities/icm.entities.js';
import { type MessageListRequest, type MessageRow, TOLD } from './message-list.js';

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
    private readonly database: Database,
  ) {}

  list(request: MessageListRequest): Promise<MessageRow[]> {
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
    const pages = shape.networks.map((network) => this.messagesOf(network, shape).getQuery());
    return this.listings.manager
      .createQueryBuilder()
      .select('page.*')
      .addSelect(versionOf(shape), 'version')
      .from(`(${pages.join(' UNION ALL ')})`, 'page')
      .orderBy({ 'page.sort_time': 'DESC', 'page.message_id': 'DESC', 'page.network': 'DESC' })
      .limit(shape.limit);
  }

  private messagesOf(network: NetworkName, shape: Shape): SelectQueryBuilder<ObjectLiteral> {
    const chainOf = (column: string): string => {
      const isIt = `network = '${network}' AND blockchain_id = coalesce(sent.${column}, delivery.${column})`;
      return `coalesce((SELECT evm_chain_id FROM icm_chains WHERE ${isIt}),
                       (SELECT evm_chain_id FROM ${partitionOf('blockchains', network)} WHERE ${isIt}))`;
    };
    const query = this.listings.manager
      .createQueryBuilder()
      .select(
        `'${network}' AS network, place.sort_time, place.message_id,
         ${TOLD.map((name) => `coalesce(sent.${name}, delivery.${name}) AS ${name}`).join(', ')},
         ${chainOf('source_blockchain_id')} AS source_evm_chain_id,
         ${chainOf('destination_blockchain_id')} AS destination_evm_chain_id,
         sent.tx_hash AS source_tx_hash, sent.block_time AS source_time, sent.fee AS source_gas_fee,
         delivery.tx_hash AS destination_tx_hash, delivery.block_time AS destination_time,
         delivery.fee AS destination_gas_fee, delivery.deliverer, delivery.reward_redeemer,
         execution.message_id IS NOT NULL AS is_executed,
         fee.token AS fee_token, fee.amount AS fee_amount, fee.is_credited,
         token.name AS token_name, token.symbol AS token_symbol, token.decimals AS token_decimals`,
      )
      .from(`(${this.walk(network, shape).getQuery()})`, 'place');
    const join = (table: string, alias: string, condition: string): unknown =>
      query.leftJoin(partitionOf(table, network), alias, `${alias}.network = '${network}' AND ${condition}`);
    join('icm_sends', 'sent', 'sent.message_id = place.message_id');
    join('icm_deliveries', 'delivery', 'delivery.message_id = place.message_id');
    join('icm_fees', 'fee', claims('fee', 'sent'));
    join('icm_executions', 'execution', claims('execution', 'delivery'));
    return query.leftJoin(
      'evm_tokens',
      'token',
      'token.chain_key = fee.chain_key AND token.contract = fee.token',
    );
  }

  private walk(network: NetworkName, shape: Shape): SelectQueryBuilder<IcmListing> {
    const { limit, placeNetwork } = shape;
    const version = versionOf(shape);
    const walk = fromPartition(this.listings, 'l', network)
      .select('l.sort_time', 'sort_time')
      .addSelect('l.message_id', 'message_id')
      .where(`l.network = '${network}' AND l.address = :address::bytea AND l.since_version <= ${version}`)
      .andWhere(`(l.until_version IS NULL OR l.until_version > ${version})`)
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

function claims(claim: string, message: string): string {
  return ['message_id', 'chain_key', 'contract']
    .map((column) => `${claim}.${column} = ${message}.${column}`)
    .join(' AND ');
}
