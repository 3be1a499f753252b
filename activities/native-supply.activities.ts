import { Injectable } from '@nestjs/common';
import { cancellationSignal } from '@temporalio/activity';
import { SupplyRefresher } from '../src/resources/native-supply/supply-refresher.js';
import { Networks } from '../src/platform/networks/networks.module.js';
import type { NativeSupplyActivities as Contract } from '../workflows/contracts/activities.js';
import type {
  RefreshNativeSupplyInput,
  RefreshNativeSupplyResult,
} from '../workflows/contracts/scheduled.js';
import { asApplicationFailure } from './application-failure.js';

@Injectable()
export class NativeSupplyActivities implements Contract {
  constructor(
    private readonly networks: Networks,
    private readonly refresher: SupplyRefresher,
  ) {}

  @asApplicationFailure()
  async refreshNativeSupply({ network }: RefreshNativeSupplyInput): Promise<RefreshNativeSupplyResult> {
    const { name } = this.networks.byName(network);
    return { problem: await this.refresher.refresh(name, cancellationSignal()) };
  }
}
