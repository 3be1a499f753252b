import { Injectable, Optional } from '@nestjs/common';
import { TASK_QUEUES, type TaskQueue } from '../../../workflows/contracts/task-queues.js';
import { RpcError } from '../../avalanche/rpc/rpc.error.js';
import { isAudit } from '../../platform/database/chains.js';
import { Database } from '../../platform/database/database.js';
import { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import { SharedReading } from '../../platform/networks/caches.js';
import { NetworkError } from '../../platform/networks/network.error.js';
import type { Network } from '../../platform/networks/network.js';
import { Networks } from '../../platform/networks/networks.module.js';
import type { ReportedIndex } from '../../indexes/overview/index-overview.js';
import { IndexOverviews } from '../../indexes/overview/index-overviews.js';
import { TaskQueueWatch } from '../../platform/temporal/task-queue-watch.js';
import { TemporalClient } from '../../platform/temporal/temporal.module.js';
import { PeerConnections } from '../signature-aggregator/peers/peer-connections.js';
import type { HealthResponse, PartHealthResponse } from './health.response.js';
import { Lifecycle } from './lifecycle.js';

/** The service is unhealthy without its database or workflow engine; whatever else is wrong degrades it. */
const REQUIRED_PARTS: ReadonlySet<string> = new Set(['database', 'temporal']);

/** The answer needs no key, and asks the nodes, Temporal and the database. */
const REREAD_AFTER_MS = 1_000;

@Injectable()
export class HealthService {
  private readonly parts = new SharedReading(REREAD_AFTER_MS, () => this.readParts());

  constructor(
    private readonly database: Database,
    private readonly temporal: TemporalClient,
    private readonly networks: Networks,
    private readonly indexes: IndexOverviews,
    private readonly evmChains: EvmChains,
    private readonly queues: TaskQueueWatch,
    private readonly lifecycle: Lifecycle,
    @Optional() private readonly peers?: PeerConnections,
  ) {}

  /** Everything about others is up to a second old. */
  async check(): Promise<HealthResponse> {
    const [parts, indexes] = await Promise.all([this.parts.get(), this.findIndexes()]);
    const details = { ...parts };
    for (const index of indexes) {
      const part = details[index.network];
      if (part !== undefined) details[index.network] = withIndex(part, index);
    }
    // Waiting for peers shows in the readiness alone.
    for (const { network, standing, text } of this.peers?.troubles() ?? []) {
      const part = details[network];
      if (part !== undefined && standing === 'degraded') details[network] = withTrouble(part, text);
    }
    const error = pick(details, (part) => part.status !== 'up');
    const info = pick(details, (part) => part.status === 'up');
    return { status: this.statusOf(error), info, error, details };
  }

  private async readParts(): Promise<HealthResponse['details']> {
    const parts = await Promise.all([
      this.databaseHealth(),
      this.workflowEngine(),
      this.workers(),
      ...this.networks.all().map((network) => networkHealth(network)),
    ]);
    const details: HealthResponse['details'] = Object.fromEntries(parts);
    for (const { network } of this.evmChains.all()) details[network] ??= ONLY_EVM_CHAINS;
    return details;
  }

  private statusOf(error: HealthResponse['error']): HealthResponse['status'] {
    if (this.lifecycle.stage === 'ending') return 'shutting_down';
    const names = Object.keys(error);
    if (names.some((name) => REQUIRED_PARTS.has(name))) return 'error';
    return names.length > 0 ? 'degraded' : 'ok';
  }

  private async workers(): Promise<[string, PartHealthResponse]> {
    try {
      const reports = await this.queues.read();
      const queues = Object.fromEntries(reports.map(({ queue, workers }) => [queue, workers]));
      const idle = this.neededQueues().filter((queue) => queues[queue] === 0);
      if (idle.length === 0) return ['workers', { status: 'up', queues }];
      return ['workers', { status: 'degraded', queues, message: `no worker serves ${idle.join(', ')}` }];
    } catch {
      return ['workers', { status: 'degraded', message: 'unknown while Temporal does not answer' }];
    }
  }

  private neededQueues(): TaskQueue[] {
    const hasNetworks = this.networks.all().length > 0;
    const hasChains = this.evmChains.all().length > 0;
    const needed = {
      signatures: hasNetworks,
      indexing: hasNetworks || hasChains,
      exports: hasChains,
      nfts: hasChains,
    };
    return TASK_QUEUES.filter((queue) => needed[queue]);
  }

  private async databaseHealth(): Promise<[string, PartHealthResponse]> {
    try {
      await this.database.query({ text: 'SELECT 1', values: [] });
      return ['database', { status: 'up' }];
    } catch {
      return ['database', { status: 'down' }];
    }
  }

  private async findIndexes(): Promise<ReportedIndex[]> {
    try {
      return await this.indexes.list();
    } catch {
      return []; // the database's own part reports the failure
    }
  }

  private async workflowEngine(): Promise<[string, PartHealthResponse]> {
    return ['temporal', { status: (await this.temporal.isAvailable()) ? 'up' : 'down' }];
  }
}

/** A network none of whose P-chain nodes is configured. */
const ONLY_EVM_CHAINS: PartHealthResponse = { status: 'up', message: 'no node configured, EVM chains only' };

function pick(
  details: Record<string, PartHealthResponse>,
  isWanted: (part: PartHealthResponse) => boolean,
): Record<string, PartHealthResponse> {
  return Object.fromEntries(Object.entries(details).filter(([, part]) => isWanted(part)));
}

function withIndex(part: PartHealthResponse, overview: ReportedIndex): PartHealthResponse {
  const { chain, report } = overview;
  const index = { ...part.index, [chain]: { ...report, updatedAt: report.updatedAt.toISOString() } };
  const problem = problemOf(overview);
  return problem === undefined ? { ...part, index } : withTrouble({ ...part, index }, `${chain} ${problem}`);
}

function withTrouble(part: PartHealthResponse, trouble: string): PartHealthResponse {
  const message = [part.message, trouble].filter((text) => text !== undefined).join('; ');
  return { ...part, status: part.status === 'up' ? 'degraded' : part.status, message };
}

/** A pause is intended by an operator. */
function problemOf({ chain, activity, report }: ReportedIndex): string | undefined {
  switch (activity) {
    case 'running':
    case 'waiting':
    case 'paused':
      return undefined;
    case 'stopped':
      return isAudit(chain) ? 'has found differences' : 'has stopped';
    case 'silent':
      return `is silent since ${report.updatedAt.toISOString()}`;
  }
}

async function networkHealth(network: Network): Promise<[string, PartHealthResponse]> {
  const sandbox = network.isSandbox
    ? { sandbox: true, message: 'sandbox: simulated validators, signatures are worth nothing elsewhere' }
    : { sandbox: false };
  try {
    const [networkId, height] = await Promise.all([
      network.getNetworkId(),
      network.hasNode ? network.platform.getHeight() : network.pChain.getHeight(),
    ]);
    return [network.name, { status: 'up', ...sandbox, networkId, pChainHeight: height.toString() }];
  } catch (error) {
    const isExplained = error instanceof RpcError || error instanceof NetworkError;
    const message = isExplained ? error.message : 'node not reachable';
    return [network.name, { status: 'down', ...sandbox, message }];
  }
}
