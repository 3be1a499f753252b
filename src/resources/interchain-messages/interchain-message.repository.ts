import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { interchainMessages, type MessageListRequest, type MessageRow } from './message-list.js';

@Injectable()
export class InterchainMessageRepository {
  constructor(private readonly database: Database) {}

  list(request: MessageListRequest): Promise<MessageRow[]> {
    return this.database.query(interchainMessages(request));
  }
}
