import { Injectable } from '@nestjs/common';
import { HostLimiters } from '../../avalanche/rpc/http/host-limiter.js';
import { Config } from '../config/config.module.js';

/** Limits of each node's host, for the indexes and exports of this process together. */
@Injectable()
export class NodeLimiters extends HostLimiters {
  constructor({ env }: Config) {
    super({ requestsPerSecond: env.NODE_REQUESTS_PER_SECOND });
  }
}
