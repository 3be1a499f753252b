import { Injectable } from '@nestjs/common';
import { NETWORK_NAMES, type NetworkName } from '../../platform/config/config.module.js';
import { type Page, PageTokens } from '../../platform/http/pagination/page-tokens.js';
import { type ListMessagesResponse, toMessageResponse } from './dto/interchain-message.response.js';
import type { ListMessagesPath, ListMessagesQuery } from './dto/list-messages.request.js';
import type {
  ListTransactionMessagesPath,
  ListTransactionMessagesQuery,
} from './dto/list-transaction-messages.request.js';
import { InterchainMessageRepository } from './interchain-message.repository.js';
import { keysetInTransaction, keysetOf, type MessageRow } from './message-list.js';
import { TransactionMessageRepository } from './transaction-message.repository.js';
import { MessageDetailsReader } from './transfers/message-details.js';

@Injectable()
export class InterchainMessagesService {
  constructor(
    private readonly messages: InterchainMessageRepository,
    private readonly ofTransactions: TransactionMessageRepository,
    private readonly details: MessageDetailsReader,
    private readonly pageTokens: PageTokens,
  ) {}

  async list({ address, ...query }: ListMessagesPath & ListMessagesQuery): Promise<ListMessagesResponse> {
    const page = await this.pageTokens.page(
      ['icm', 'addresses', address, 'messages'],
      query,
      (place) => this.messages.list({ networks: networksOf(query), address: address.slice(2), ...place }),
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
      (place) => this.ofTransactions.list({ networks: networksOf(query), txHash: txHash.slice(2), ...place }),
      keysetInTransaction,
    );
    return this.toResponse(page);
  }

  private async toResponse({ rows, ...page }: Page<MessageRow>): Promise<ListMessagesResponse> {
    const detailed = await this.details.read(rows);
    return { ...page, messages: detailed.map(([row, details]) => toMessageResponse(row, details)) };
  }
}

function networksOf({ network }: { readonly network?: NetworkName | undefined }): readonly NetworkName[] {
  return network === undefined ? NETWORK_NAMES : [network];
}
