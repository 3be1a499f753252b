import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.module.js';
import { ApiError } from '../../platform/http/errors/api-error.js';
import type { NativeSupplyResponse } from './dto/native-supply.response.js';
import { SupplyProgress } from './supply-progress.js';
import { SupplyRepository } from './supply.repository.js';

interface AnsweredSupply {
  readonly supply: NativeSupplyResponse;
  /** Of the block up to which an operator vouches for a part of it. */
  readonly baselineHeight: bigint | null;
}

@Injectable()
export class NativeSupplyService {
  constructor(
    private readonly config: Config,
    private readonly supply: SupplyRepository,
    private readonly progress: SupplyProgress,
  ) {}

  /**
   * Of mainnet, or of the other network where mainnet is not configured, or only simulated; where all are, of one that knows it. The last
   * complete answer, however old. Throws a 503 that names what is missing, and when to ask again.
   */
  async get(): Promise<AnsweredSupply> {
    const configured = this.config.networks.filter(({ isEnabled }) => isEnabled);
    const real = configured.find(({ sandbox }) => !sandbox);
    const candidates = real === undefined ? configured : [real];
    const reasons: string[] = [];
    const waits: number[] = [];
    for (const { name } of candidates) {
      const record = await this.supply.find(name);
      if (record?.figures != null && record.updatedAt !== null) {
        const supply = { ...record.figures, lastUpdated: record.updatedAt.toISOString() };
        return { supply, baselineHeight: record.baselineHeight };
      }
      const { left, retryAfterSeconds } = await this.progress.look(name);
      const problem = record?.problem ?? 'no worker has calculated it yet';
      reasons.push(`of ${name}: ${problem}${left === undefined ? '' : `; ${left}`}`);
      waits.push(retryAfterSeconds);
    }
    if (reasons.length === 0) reasons.push('no network is configured');
    const retryAfterSeconds = waits.length === 0 ? undefined : Math.min(...waits);
    throw new ApiError(503, `the supply is not known yet; ${reasons.join('; ')}`, { retryAfterSeconds });
  }
}
