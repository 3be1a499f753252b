import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { ObjectLiteral, Repository, SelectQueryBuilder } from 'typeorm';
import { type Address, evmBytesOf } from '../../../avalanche/evm/rpc/hex-values.js';
import type { NetworkName } from '../../../platform/config/config.module.js';
import type { Statement } from '../../../platform/database/database.js';
import { ListDatabase } from '../../../platform/database/list-database.js';
import { messageSetName } from '../../../indexes/evm/sources/logs/log-sets.js';
import { setOf, ShapedQuery } from '../../../platform/database/shaped-query.js';
import { IcmSend } from '../entities/icm.entities.js';
import type { MessageRow } from '../message-list.js';
import { messagesAt } from '../message-query.js';
import { EXECUTION_TOPICS } from './executions.js';

/** The logs of a messenger, with those kept beside them, of one block of one chain. */
export interface LogPlace {
  readonly chainKey: string;
  readonly messenger: Address;
  readonly height: string;
}

export interface FoundLog {
  readonly chain_key: string;
  readonly log_set: string;
  readonly tx_hash: Buffer;
  readonly address: Buffer;
  readonly topics: readonly Buffer[];
}

export interface TokenPlace {
  readonly chainKey: string;
  readonly contract: Buffer;
}

export interface TokenRow {
  readonly chain_key: string;
  readonly contract: Buffer;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
}

export interface ExactPlace extends LogPlace {
  readonly logIndex: number;
}

export interface LogRow {
  readonly chain_key: string;
  readonly height: string;
  readonly log_index: number;
  readonly topics: readonly Buffer[];
  readonly data: Buffer;
}

/** As many as a page needs where blocks are full of messages. Contracts may log as they like: what is beyond stays without its other hop. */
const LOGS_AT_ONCE = 20_000;

const TOPICS = EXECUTION_TOPICS.map(evmBytesOf);

interface Shape {
  readonly networks: readonly NetworkName[];
}

/** Look-ups for the transfers of a page, beside its rows: one statement for all of a kind. */
@Injectable()
export class TransferRepository {
  private readonly messages = new ShapedQuery((shape: Shape) => this.build(shape));

  constructor(
    @InjectRepository(IcmSend) private readonly sends: Repository<IcmSend>,
    private readonly database: ListDatabase,
  ) {}

  /** In the order of each chain. */
  async findLogs(places: readonly LogPlace[]): Promise<FoundLog[]> {
    if (places.length === 0) return [];
    return this.database.query({
      text: `SELECT log.* FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS wanted (chain_key, log_set, height)
               CROSS JOIN LATERAL (
                 SELECT chain_key, log_set, height, log_index, tx_hash, address, topics FROM evm_logs
                  WHERE evm_logs.chain_key = wanted.chain_key AND evm_logs.log_set = wanted.log_set
                    AND evm_logs.height = wanted.height AND topics[1] = ANY ($4::bytea[])
               ) AS log
              ORDER BY log.chain_key, log.log_set, log.height, log.log_index LIMIT ${LOGS_AT_ONCE}`,
      values: [
        places.map(({ chainKey }) => chainKey),
        places.map(({ messenger }) => messageSetName(messenger)),
        places.map(({ height }) => height),
        TOPICS,
      ],
      onePlan: true,
    });
  }

  /** With their data, which have whole messages. */
  async findLogsAt(places: readonly ExactPlace[]): Promise<LogRow[]> {
    if (places.length === 0) return [];
    return this.database.query({
      text: `SELECT log.chain_key, log.height, log.log_index, log.topics, log.data
               FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::int[]) AS wanted (chain_key, log_set, height, log_index)
               JOIN evm_logs AS log USING (chain_key, log_set, height, log_index)`,
      values: [
        places.map(({ chainKey }) => chainKey),
        places.map(({ messenger }) => messageSetName(messenger)),
        places.map(({ height }) => height),
        places.map(({ logIndex }) => logIndex),
      ],
      onePlan: true,
    });
  }

  /** Those that are tokens and were read. */
  async findTokens(places: readonly TokenPlace[]): Promise<TokenRow[]> {
    if (places.length === 0) return [];
    return this.database.query({
      text: `SELECT token.chain_key, token.contract, token.name, token.symbol, token.decimals
               FROM unnest($1::bigint[], $2::bytea[]) AS wanted (chain_key, contract)
               JOIN evm_tokens AS token USING (chain_key, contract)
              WHERE token.name IS NOT NULL AND token.symbol IS NOT NULL AND token.decimals IS NOT NULL`,
      values: [places.map(({ chainKey }) => chainKey), places.map(({ contract }) => contract)],
      onePlan: true,
    });
  }

  /** Of these networks, by id. */
  async findMessages(networks: readonly NetworkName[], ids: readonly Buffer[]): Promise<MessageRow[]> {
    return ids.length === 0 ? [] : this.database.query(this.messagesStatement(networks, ids));
  }

  messagesStatement(networks: readonly NetworkName[], ids: readonly Buffer[]): Statement {
    return this.messages.statement({ networks }, { ids });
  }

  private build({ networks }: Shape): SelectQueryBuilder<ObjectLiteral> {
    const { manager } = this.sends;
    const ofNetworks = networks.map((network) =>
      messagesAt(manager, network, `SELECT ${setOf('ids', 'bytea')} AS message_id`)
        .where('sent.message_id IS NOT NULL OR delivery.message_id IS NOT NULL')
        .getQuery(),
    );
    return manager
      .createQueryBuilder()
      .select('message.*')
      .from(`(${ofNetworks.join(' UNION ALL ')})`, 'message');
  }
}
