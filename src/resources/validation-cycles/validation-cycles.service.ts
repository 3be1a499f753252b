import { Injectable } from '@nestjs/common';
import { PageTokens } from '../../platform/http/pagination/page-tokens.js';
import { keysetOf, type RunningRow } from './cycle-list.js';
import { CycleRepository } from './cycle.repository.js';
import { type ListCyclesResponse, toCurrentCycle, toSettledCycle } from './dto/cycle.response.js';
import type { ListCyclesPath, ListCyclesQuery } from './dto/list-cycles.request.js';

@Injectable()
export class ValidationCyclesService {
  constructor(
    private readonly cycles: CycleRepository,
    private readonly pageTokens: PageTokens,
  ) {}

  async list({ network, nodeId, ...query }: ListCyclesPath & ListCyclesQuery): Promise<ListCyclesResponse> {
    let running: RunningRow | undefined;
    const { txHash: txId, sortOrder } = query;
    const { rows, ...page } = await this.pageTokens.page(
      [network, nodeId, 'cycles'],
      query,
      async (place) => {
        const found = await this.cycles.list({ network, nodeId, txId, sortOrder, ...place });
        ({ running } = found);
        return found.rows;
      },
      keysetOf,
    );
    return {
      ...page,
      cycles: rows.map(toSettledCycle),
      ...(running === undefined ? {} : { currentCycle: toCurrentCycle(running) }),
    };
  }
}
