import { Injectable } from '@nestjs/common';
import { toHex } from '../../avalanche/ids/hex.js';
import { Config, type NetworkName } from '../../platform/config/config.module.js';
import { notFound } from '../../platform/http/errors/api-error.js';
import { type Page, PageTokens } from '../../platform/http/pagination/page-tokens.js';
import type { GetMessagePath, GetMessageQuery } from './dto/get-message.request.js';
import {
  type InterchainMessageResponse,
  type ListMessagesResponse,
  toMessageResponse,
} from './dto/interchain-message.response.js';
import type { ListMessagesPath, ListMessagesQuery } from './dto/list-messages.request.js';
import type {
  ListTransactionMessagesPath,
  ListTransactionMessagesQuery,
} from './dto/list-transaction-messages.request.js';
import type { InterchainMessageDetails } from './dto/message-details.response.js';
import { InterchainMessageRepository } from './interchain-message.repository.js';
import { keysetInTransaction, keysetOf, type MessageRow } from './message-list.js';
import { TransactionMessageRepository } from './transaction-message.repository.js';
import { MessageDetailsReader } from './transfers/message-details.js';
import { TransferRepository } from './transfers/transfer.repository.js';
import { WarpMessages } from './warp-messages.js';

@Injectable()
export class InterchainMessagesService {
  constructor(
    private readonly messages: InterchainMessageRepository,
    private readonly ofTransactions: TransactionMessageRepository,
    private readonly byId: TransferRepository,
    private readonly details: MessageDetailsReader,
    private readonly warp: WarpMessages,
    private readonly pageTokens: PageTokens,
    private readonly config: Config,
  ) {}

  async list({ address, ...query }: ListMessagesPath & ListMessagesQuery): Promise<ListMessagesResponse> {
    const page = await this.pageTokens.page(
      ['icm', 'addresses', address, 'messages'],
      query,
      (place) =>
        this.messages.list({ networks: this.networksOf(query), address: address.slice(2), ...place }),
      keysetOf,
    );
    return this.toResponse(page);
  }

  async listOfTransaction({
    txHash,
    ...query
  }: ListTransactionMessagesPath & ListTransactionMessagesQuery): Promise<ListMessagesResponse> {
    const page = await this.pageTokens.page(
      ['icm', 'transactions', txHash],
      query,
      (place) =>
        this.ofTransactions.list({ networks: this.networksOf(query), txHash: txHash.slice(2), ...place }),
      keysetInTransaction,
    );
    return this.toResponse(page);
  }

  async get({ messageId, ...query }: GetMessagePath & GetMessageQuery): Promise<InterchainMessageDetails> {
    const networks = this.networksOf(query);
    const rows = await this.byId.findMessages(networks, [Buffer.from(messageId, 'hex')]);
    // Two networks may have the same message, where both names stand for local ones.
    const row = networks.map((name) => rows.find(({ network }) => network === name)).find((each) => each);
    if (row === undefined) throw notFound(`there is no message ${messageId}`);
    const [[message], warp] = await Promise.all([this.details.read([row]), this.warp.find(row)]);
    if (message === undefined) throw new RangeError('no details of the message');
    return {
      ...toMessageResponse(...message),
      ...(warp && { unsignedMessage: `0x${toHex(warp.unsignedMessage)}` }),
      ...warp?.deliverable,
    };
  }

  /** As the lists have them, by id in hex. */
  async describe(
    network: NetworkName,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, InterchainMessageResponse>> {
    const rows = await this.byId.findMessages(
      [network],
      ids.map((id) => Buffer.from(id, 'hex')),
    );
    const detailed = await this.details.read(rows);
    return new Map(
      detailed.map(([row, details]) => [row.message_id.toString('hex'), toMessageResponse(row, details)]),
    );
  }

  private async toResponse({ rows, ...page }: Page<MessageRow>): Promise<ListMessagesResponse> {
    const detailed = await this.details.read(rows);
    return { ...page, messages: detailed.map(([row, details]) => toMessageResponse(row, details)) };
  }

  private networksOf({ network }: { readonly network?: NetworkName | undefined }): readonly NetworkName[] {
    return network === undefined ? this.config.networks.map(({ name }) => name) : [network];
  }
}
