import { Injectable } from '@nestjs/common';
import { NETWORK_NAMES } from '../config/config.module.js';
import { PageTokens } from '../http/pagination/page-tokens.js';
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

  async list({
    address,
    pageToken,
    pageSize,
    network,
  }: ListMessagesPath & ListMessagesQuery): Promise<ListMessagesResponse> {
    const scope = { path: ['icm', 'addresses', address, 'messages'], query: { network } };
    const rows = await this.messages.list({
      networks: network === undefined ? NETWORK_NAMES : [network],
      address: address.slice(2),
      after: await this.pageTokens.read(scope, pageToken),
      limit: pageSize + 1,
    });
    const page = await this.pageTokens.toPage(scope, { pageSize }, rows, keysetOf);
    return {
      ...(page.nextPageToken === undefined ? {} : { nextPageToken: page.nextPageToken }),
      messages: page.rows.map(toMessageResponse),
    };
  }
}
