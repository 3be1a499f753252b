import { Injectable } from '@nestjs/common';
import type { IndexState } from '../../../workflows/contracts/index-chain.js';
import { TASK_QUEUES, type TaskQueue } from '../../../workflows/contracts/task-queues.js';
import { RpcError } from '../../avalanche/rpc/rpc.error.js';
import { Config } from '../../platform/config/config.module.js';
import { isAudit } from '../../platform/database/chains.js';
import { Database } from '../../platform/database/database.js';
import { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import { SharedReading } from '../../platform/networks/caches.js';
import type { Network } from '../../platform/networks/network.js';
import { Networks } from '../../platform/networks/networks.module.js';
import {
  IndexProgressRepository,
  type ProgressRecord,
} from '../../indexes/engine/progress/index-progress.repository.js';
import { TaskQueueWatch } from '../../platform/temporal/task-queue-watch.js';
import { TemporalClient } from '../../platform/temporal/temporal.module.js';
import { workerTimes } from '../../platform/temporal/worker-times.js';
import { Lifecycle } from './lifecycle.js';

/** Where the index of a chain stands; a stopped one waits for a person. */
export interface IndexHealth {
  state: IndexState;
  height?: string;
  tip?: string;
  blocksPerSecond: number;
  secondsLeft?: number;
  message?: string;
  /** ISO 8601; an old one of a state that works means that no worker lives. */
  updatedAt: string;
}

export interface PartHealth {
  /** `degraded`: it answers, and not all is as it should be. */
  status: 'up' | 'degraded' | 'down';
  /** True for a simulated network: its signatures are worth nothing elsewhere. */
  sandbox?: boolean;
  networkId?: number;
  pChainHeight?: string;
  message?: string;
  /** By chain. */
  index?: Record<string, IndexHealth>;
  /** By task queue: processes that work on it. */
  queues?: Record<string, number>;
}

export interface HealthAnswer {
  /** `degraded`: requests are answered, and a person should look at what is under `error`. */
  status: 'ok' | 'degraded' | 'error' | 'shutting_down';
  info: Record<string, PartHealth>;
  error: Record<string, PartHealth>;
  details: Record<string, PartHealth>;
}

/** The service is unhealthy without its database or workflow engine; whatever else is wrong degrades it. */
const REQUIRED_PARTS: ReadonlySet<string> = new Set(['database', 'temporal']);

/** An index says something at least as often as its activity reports or is found dead; what Temporal waits before it tries again is slack. */
const INDEX_SLACK_MS = 120_000;
/** Audits run every hour, and take their time. */
const AUDIT_MAX_AGE_MS = 3 * 3_600_000;

/** The answer needs no key, and asks the nodes, Temporal and the database. */
const REREAD_AFTER_MS = 1_000;

@Injectable()
export class HealthService {
  private readonly details = new SharedReading(REREAD_AFTER_MS, () => this.readDetails());

  constructor(
    private readonly database: Database,
    private readonly temporal: TemporalClient,
    private readonly networks: Networks,
    private readonly indexProgress: IndexProgressRepository,
    private readonly evmChains: EvmChains,
    private readonly queues: TaskQueueWatch,
    private readonly lifecycle: Lifecycle,
    private readonly config: Config,
  ) {}

  /** Everything about others is up to a second old. */
  async check(): Promise<HealthAnswer> {
    const details = await this.details.get();
    const error = pick(details, (part) => part.status !== 'up');
    const info = pick(details, (part) => part.status === 'up');
    return { status: this.statusOf(error), info, error, details };
  }

  private async readDetails(): Promise<HealthAnswer['details']> {
    const [progress, ...parts] = await Promise.all([
      this.progress(),
      this.databaseHealth(),
      this.workflowEngine(),
      this.workers(),
      ...this.networks.all().map((network) => networkHealth(network)),
    ]);
    const details: Record<string, PartHealth> = Object.fromEntries(parts);
    for (const { network } of this.evmChains.all()) details[network] ??= ONLY_EVM_CHAINS;
    for (const record of progress) {
      const part = details[record.network];
      if (part !== undefined) details[record.network] = this.withIndex(part, record);
    }
    return details;
  }

  private statusOf(error: HealthAnswer['error']): HealthAnswer['status'] {
    if (this.lifecycle.stage === 'ending') return 'shutting_down';
    const names = Object.keys(error);
    if (names.some((name) => REQUIRED_PARTS.has(name))) return 'error';
    return names.length > 0 ? 'degraded' : 'ok';
  }

  private withIndex(part: PartHealth, record: ProgressRecord): PartHealth {
    const index = { ...part.index, [record.chain]: toIndexHealth(record) };
    const problem = this.problemOf(record);
    if (problem === undefined) return { ...part, index };
    const message = [part.message, `${record.chain} ${problem}`].filter(isGiven).join('; ');
    return { ...part, index, status: part.status === 'up' ? 'degraded' : part.status, message };
  }

  /** A pause is intended by an operator. */
  private problemOf({ chain, state, updatedAt }: ProgressRecord): string | undefined {
    if (state === 'paused') return undefined;
    if (state === 'stopped') return isAudit(chain) ? 'has found differences' : 'has stopped';
    const { advanceMs, heartbeatMs } = workerTimes(this.config.env).indexing;
    const ofIndex = advanceMs + heartbeatMs + INDEX_SLACK_MS;
    const maxAgeMs = isAudit(chain) ? AUDIT_MAX_AGE_MS : ofIndex;
    return Date.now() - updatedAt.getTime() > maxAgeMs
      ? `is silent since ${updatedAt.toISOString()}`
      : undefined;
  }

  private async workers(): Promise<[string, PartHealth]> {
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

  private async databaseHealth(): Promise<[string, PartHealth]> {
    try {
      await this.database.query({ text: 'SELECT 1', values: [] });
      return ['database', { status: 'up' }];
    } catch {
      return ['database', { status: 'down' }];
    }
  }

  private async progress(): Promise<ProgressRecord[]> {
    try {
      return await this.indexProgress.list();
    } catch {
      return []; // the database's own part tells
    }
  }

  private async workflowEngine(): Promise<[string, PartHealth]> {
    return ['temporal', { status: (await this.temporal.isAvailable()) ? 'up' : 'down' }];
  }
}

/** A network none of whose P-chain nodes is configured. */
const ONLY_EVM_CHAINS: PartHealth = { status: 'up', message: 'no node configured, EVM chains only' };

function pick(
  details: Record<string, PartHealth>,
  isWanted: (part: PartHealth) => boolean,
): Record<string, PartHealth> {
  return Object.fromEntries(Object.entries(details).filter(([, part]) => isWanted(part)));
}

function isGiven(text: string | undefined): text is string {
  return text !== undefined;
}

function toIndexHealth(record: ProgressRecord): IndexHealth {
  const { state, height, tip, blocksPerSecond, secondsLeft, message, updatedAt } = record;
  return {
    state,
    blocksPerSecond,
    ...(height === null ? {} : { height }),
    ...(tip === null ? {} : { tip }),
    ...(secondsLeft === null ? {} : { secondsLeft }),
    ...(message === null ? {} : { message }),
    updatedAt: updatedAt.toISOString(),
  };
}

async function networkHealth(network: Network): Promise<[string, PartHealth]> {
  const sandbox = network.isSandbox
    ? { sandbox: true, message: 'sandbox: simulated validators, signatures are worth nothing elsewhere' }
    : { sandbox: false };
  try {
    const [networkId, height] = await Promise.all([network.getNetworkId(), network.platform.getHeight()]);
    return [network.name, { status: 'up', ...sandbox, networkId, pChainHeight: height.toString() }];
  } catch (error) {
    const message = error instanceof RpcError ? error.message : 'node not reachable';
    return [network.name, { status: 'down', ...sandbox, message }];
  }
}
