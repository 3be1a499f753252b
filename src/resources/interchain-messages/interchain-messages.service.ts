import { Injectable } from '@nestjs/common';
import { NETWORK_NAMES } from '../../platform/config/config.module.js';
import { PageTokens } from '../../platform/http/pagination/page-tokens.js';
import { type ListMessagesResponse, toMessageResponse } from './dto/interchain-message.response.js';
import type { ListMessagesPath, ListMessagesQuery } from './dto/list-messages.request.js';
import { InterchainMessageRepository } from './interchain-message.repository.js';
import { keysetOf } from './message-list.js';

@Injectable()
export class InterchainMessagesService {
  constructor(
    private readonly messages: InterchainMessageRepository,
    private readonly pageTokens: PageTokens,
  ) {}

  async list({ address, ...query }: ListMessagesPath & ListMessagesQuery): Promise<ListMessagesResponse> {
    const networks = query.network === undefined ? NETWORK_NAMES : [query.network];
    const { rows, ...page } = await this.pageTokens.page(
      ['icm', 'addresses', address, 'messages'],
      query,
      (place) => this.messages.list({ networks, address: address.slice(2), ...place }),
      keysetOf,
    );
    return { ...page, messages: rows.map(toMessageResponse) };
  }
}
