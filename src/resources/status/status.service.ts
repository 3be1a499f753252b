import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../platform/config/config.module.js';
import { isNetworkName } from '../../platform/config/network-names.js';
import { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import type { HealthResponse } from '../health/health.response.js';
import { HealthService } from '../health/health.service.js';
import { IndexOverviews } from '../../indexes/overview/index-overviews.js';
import { MeasuredChains } from '../../indexes/overview/measured-chains.js';
import { refreshedEvery } from '../../platform/networks/caches.js';
import { toSeries } from './aggregation-series.js';
import { cutShort, describeIndexes } from './index-status.js';
import { type KnownProcess, ProcessRepository } from './process.repository.js';
import { RunningWork } from './running-work.js';
import { StatusDay } from './status-day.js';
import { serviceVersion } from './service-version.js';
import type {
  IndexStatusResponse,
  NetworkStatusResponse,
  PartStatusResponse,
  ProcessStatusResponse,
  StatusResponse,
} from './dto/status.response.js';

/** So many viewers as there may be cost no more than one. */
const REFRESH_MS = 1_000;
/** A slot of it is a quarter of an hour. */
const DAY_REFRESH_MS = 30_000;
/** Coverage is many rows while a chain fills in its history, and Temporal lists workflows only so often. */
const SLOW_REFRESH_MS = 5_000;

/** All that the page shows. What cannot be had is left out, and the page shows why. */
@Injectable()
export class StatusService {
  private readonly logger = new Logger(StatusService.name);
  private readonly status = refreshedEvery(REFRESH_MS, () => this.collect());
  private readonly chains = refreshedEvery(SLOW_REFRESH_MS, () =>
    Promise.all(this.evmChains.all().map((chain) => this.measured.measure(chain))),
  );
  private readonly lastDay = refreshedEvery(DAY_REFRESH_MS, () => this.day.read());
  private readonly running = refreshedEvery(SLOW_REFRESH_MS, () => this.work.read());

  constructor(
    private readonly config: Config,
    private readonly health: HealthService,
    private readonly evmChains: EvmChains,
    private readonly overviews: IndexOverviews,
    private readonly measured: MeasuredChains,
    private readonly processes: ProcessRepository,
    private readonly work: RunningWork,
    private readonly day: StatusDay,
  ) {}

  get(): Promise<StatusResponse> {
    return this.status.get();
  }

  private async collect(): Promise<StatusResponse> {
    const [health, indexes, work, aggregations, day, processes] = await Promise.all([
      this.health.check(),
      this.unlessAway('indexes', () => this.describeIndexes()),
      this.unlessAway('work', () => this.running.get()),
      this.unlessAway('aggregations', async () => toSeries(await this.processes.listAggregations())),
      this.unlessAway('day', () => this.lastDay.get()),
      this.unlessAway('processes', async () => (await this.processes.list()).map(toProcess)),
    ]);
    const { TEMPORAL_UI_URL: temporalUiUrl } = this.config.env;
    return {
      status: health.status,
      version: serviceVersion(),
      ...(temporalUiUrl === undefined ? {} : { temporalUiUrl }),
      ...describeParts(health),
      ...(indexes && { indexes }),
      ...(work && { work }),
      ...(aggregations && { aggregations }),
      ...(day && { day }),
      ...(processes && { processes }),
    };
  }

  private async unlessAway<T>(what: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      this.logger.debug(`status: ${what} are not known: ${String(error)}`);
      return undefined;
    }
  }

  private async describeIndexes(): Promise<IndexStatusResponse[]> {
    return describeIndexes(await this.overviews.list(), await this.chains.get());
  }
}

/** Whatever is no network is a part of the service. */
function describeParts({ details }: HealthResponse): {
  parts: PartStatusResponse[];
  networks: NetworkStatusResponse[];
} {
  const parts: PartStatusResponse[] = [];
  const networks: NetworkStatusResponse[] = [];
  for (const [name, { status, message, sandbox = false, networkId, pChainHeight }] of Object.entries(
    details,
  )) {
    const entry = { status, ...(message === undefined ? {} : { message: cutShort(message) }) };
    if (!isNetworkName(name)) {
      parts.push({ name, ...entry });
      continue;
    }
    networks.push({
      network: name,
      sandbox,
      ...entry,
      ...(networkId === undefined ? {} : { networkId }),
      ...(pChainHeight === undefined ? {} : { pChainHeight }),
    });
  }
  return { parts, networks };
}

function toProcess({
  isApi,
  stake,
  upSeconds,
  silentSeconds,
  ...process
}: KnownProcess): ProcessStatusResponse {
  return {
    ...process,
    api: isApi,
    upSeconds: Math.round(upSeconds),
    silentSeconds: Math.round(silentSeconds),
    stake: Object.entries(stake).map(([network, reach]) => ({ network, ...reach })),
  };
}
