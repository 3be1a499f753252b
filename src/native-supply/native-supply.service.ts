import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.module.js';
import { ApiError } from '../http/api-error.js';
import type { NativeSupplyResponse } from './dto/native-supply.response.js';
import { SupplyRepository } from './supply.repository.js';

@Injectable()
export class NativeSupplyService {
  constructor(
    private readonly config: Config,
    private readonly supply: SupplyRepository,
  ) {}

  /** Of mainnet, or of the other network where mainnet is not configured. The last complete answer, however old. */
  async get(): Promise<NativeSupplyResponse> {
    const network = this.config.networks.find(({ nodeUrls }) => nodeUrls.length > 0)?.name ?? 'mainnet';
    const record = await this.supply.find(network);
    if (record?.figures != null && record.updatedAt !== null) {
      return { ...record.figures, lastUpdated: record.updatedAt.toISOString() };
    }
    const reason = record?.problem ?? 'no worker has worked it out yet';
    throw new ApiError(503, `the supply of ${network} is not known yet: ${reason}`);
  }
}
