import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.module.js';
import { ApiError } from '../../platform/http/errors/api-error.js';
import type { NativeSupplyResponse } from './dto/native-supply.response.js';
import { SupplyRepository } from './supply.repository.js';

@Injectable()
export class NativeSupplyService {
  constructor(
    private readonly config: Config,
    private readonly supply: SupplyRepository,
  ) {}

  /**
   * Of mainnet, or of the other network where mainnet is not configured, or only simulated; where all are, of one that can tell. The
   * last complete answer, however old.
   */
  async get(): Promise<NativeSupplyResponse> {
    const configured = this.config.networks.filter(({ isEnabled }) => isEnabled);
    const real = configured.find(({ sandbox }) => !sandbox);
    const candidates = real === undefined ? configured : [real];
    const reasons: string[] = [];
    for (const { name } of candidates) {
      const record = await this.supply.find(name);
      if (record?.figures != null && record.updatedAt !== null) {
        return { ...record.figures, lastUpdated: record.updatedAt.toISOString() };
      }
      reasons.push(`of ${name}: ${record?.problem ?? 'no worker has calculated it yet'}`);
    }
    const why = reasons.length === 0 ? 'no network is configured' : reasons.join('; ');
    throw new ApiError(503, `the supply is not known yet; ${why}`);
  }
}
