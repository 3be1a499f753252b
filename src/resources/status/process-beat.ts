import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  Optional,
} from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { PRIMARY_NETWORK_ID } from '../../avalanche/ids/id.js';
import { Config } from '../../platform/config/config.module.js';
import { PeerConnections } from '../signature-aggregator/peers/peer-connections.js';
import { ServedQueues } from '../../platform/temporal/served-queues.module.js';
import { AggregationMeter } from './aggregation-meter.js';
import { ProcessRepository } from './process.repository.js';
import { serviceVersion } from './service-version.js';
import type { StakeReach } from './status.entities.js';

const BEAT_MS = 5_000;

/** Reports this process to the status page every few seconds, until it ends. */
@Injectable()
export class ProcessBeat implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(ProcessBeat.name);
  private readonly processId = randomUUID();
  private timer: NodeJS.Timeout | undefined;
  private beating: Promise<void> = Promise.resolve();
  private isStopped = false;
  private hasFailed = false;

  /** `meter`: where there is an API; `peers`: where signatures are collected. */
  constructor(
    private readonly config: Config,
    private readonly queues: ServedQueues,
    private readonly processes: ProcessRepository,
    @Optional() private readonly meter?: AggregationMeter,
    @Optional() private readonly peers?: PeerConnections,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.env.STATUS_PAGE) this.beating = this.beat();
  }

  /** While there still are connections to Postgres. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.beating;
    if (!this.config.env.STATUS_PAGE) return;
    await this.storeAggregations().catch(() => undefined);
    await this.processes.remove(this.processId).catch(() => undefined);
  }

  /** Never rejects: no work may depend on being shown. */
  private async beat(): Promise<void> {
    try {
      await this.processes.save({
        processId: this.processId,
        isApi: this.meter !== undefined,
        queues: this.queues.all,
        version: serviceVersion(),
        stake: this.connectedStake(),
      });
      await this.storeAggregations();
      this.hasFailed = false;
    } catch (error) {
      if (!this.hasFailed) {
        this.logger.warn(`the status page is not told how this process is: ${String(error)}`);
      }
      this.hasFailed = true;
    }
    if (this.isStopped) return;
    this.timer = setTimeout(() => {
      this.beating = this.beat();
    }, BEAT_MS).unref();
  }

  private connectedStake(): Record<string, StakeReach> {
    const stake: Record<string, StakeReach> = {};
    for (const [network, peers] of this.peers?.open ?? []) {
      const primary = peers.connectedStake().find(({ subnetId }) => subnetId === PRIMARY_NETWORK_ID);
      if (primary === undefined) continue;
      const { share, validators, connectedValidators: connected } = primary;
      stake[network] = { percentage: Math.floor(share * 1_000) / 10, validators, connected };
    }
    return stake;
  }

  private async storeAggregations(): Promise<void> {
    const counts = this.meter?.take() ?? new Map<number, number>();
    try {
      await this.processes.addAggregations(counts);
    } catch (error) {
      this.meter?.giveBack(counts);
      throw error;
    }
  }
}
