import { Injectable, Logger } from '@nestjs/common';
import { measureFacet } from '../../indexes/evm/facets/measured-facet.js';
import { Config, NETWORK_NAMES } from '../../platform/config/config.module.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import { EvmIndexRepository } from '../../indexes/evm/rows/evm-index.repository.js';
import { facetsOf } from '../../indexes/evm/facets/facets.js';
import { type HealthAnswer, HealthService } from '../health/health.service.js';
import { IndexProgressRepository } from '../../indexes/engine/progress/index-progress.repository.js';
import { refreshedEvery } from '../../platform/networks/caches.js';
import { toSeries } from './aggregation-series.js';
import { BlockTimesRepository } from './block-times.repository.js';
import { cutShort, describeIndexes, type MeasuredChain } from './index-status.js';
import { type KnownProcess, ProcessRepository } from './process.repository.js';
import { RunningWork } from './running-work.js';
import { serviceVersion } from './service-version.js';
import type { IndexStatus, NetworkStatus, PartStatus, ProcessStatus, Status } from './status.js';

/** So many viewers as there may be cost no more than one. */
const REFRESH_MS = 1_000;
/** Coverage is many rows while a chain fills in its history, and Temporal lists workflows only so often. */
const SLOW_REFRESH_MS = 5_000;

/** All that the page shows. What cannot be had is left out, and what the page shows says why. */
@Injectable()
export class StatusService {
  private readonly logger = new Logger(StatusService.name);
  private readonly status = refreshedEvery(REFRESH_MS, () => this.collect());
  private readonly chains = refreshedEvery(SLOW_REFRESH_MS, () => this.measureChains());
  private readonly running = refreshedEvery(SLOW_REFRESH_MS, () => this.work.read());

  constructor(
    private readonly config: Config,
    private readonly health: HealthService,
    private readonly evmChains: EvmChains,
    private readonly evmIndex: EvmIndexRepository,
    private readonly progress: IndexProgressRepository,
    private readonly blockTimes: BlockTimesRepository,
    private readonly processes: ProcessRepository,
    private readonly work: RunningWork,
  ) {}

  get(): Promise<Status> {
    return this.status.get();
  }

  private async collect(): Promise<Status> {
    const [health, indexes, work, aggregations, processes] = await Promise.all([
      this.health.check(),
      this.unlessAway('indexes', () => this.describeIndexes()),
      this.unlessAway('work', () => this.running.get()),
      this.unlessAway('aggregations', async () => toSeries(await this.processes.listAggregations())),
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

  private async describeIndexes(): Promise<IndexStatus[]> {
    const [progress, blockTimes, chains] = await Promise.all([
      this.progress.list(),
      this.blockTimes.list(),
      this.chains.get(),
    ]);
    return describeIndexes({ progress, blockTimes, chains, nowMs: Date.now() });
  }

  private measureChains(): Promise<MeasuredChain[]> {
    return Promise.all(this.evmChains.all().map((chain) => this.measureChain(chain)));
  }

  private async measureChain(chain: EvmChain): Promise<MeasuredChain> {
    const [checkpoint, coverage] = await Promise.all([
      this.evmIndex.findCheckpoint(chain),
      this.evmIndex.findCoverage(chain),
    ]);
    return {
      chain,
      facets: facetsOf(chain).map((facet) => measureFacet(facet, { chain, checkpoint, coverage })),
    };
  }
}

/** Whatever is no network is a part of the service. */
function describeParts({ details }: HealthAnswer): { parts: PartStatus[]; networks: NetworkStatus[] } {
  const parts: PartStatus[] = [];
  const networks: NetworkStatus[] = [];
  for (const [name, { status, message, sandbox = false, networkId, pChainHeight }] of Object.entries(
    details,
  )) {
    const said = { status, ...(message === undefined ? {} : { message: cutShort(message) }) };
    if (!NETWORK_NAMES.some((network) => network === name)) {
      parts.push({ name, ...said });
      continue;
    }
    networks.push({
      network: name,
      sandbox,
      ...said,
      ...(networkId === undefined ? {} : { networkId }),
      ...(pChainHeight === undefined ? {} : { pChainHeight }),
    });
  }
  return { parts, networks };
}

function toProcess({ isApi, stake, upSeconds, silentSeconds, ...process }: KnownProcess): ProcessStatus {
  return {
    ...process,
    api: isApi,
    upSeconds: Math.round(upSeconds),
    silentSeconds: Math.round(silentSeconds),
    stake: Object.entries(stake).map(([network, reach]) => ({ network, ...reach })),
  };
}
