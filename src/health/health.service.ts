import { Injectable } from '@nestjs/common';
import type { IndexState } from '../../workflows/contracts/index-chain.js';
import { RpcError } from '../avalanche/rpc/rpc.error.js';
import { Database } from '../database/database.js';
import { EvmChains } from '../evm-chains/evm-chains.js';
import type { Network } from '../networks/network.js';
import { Networks } from '../networks/networks.module.js';
import { IndexProgressRepository, type ProgressRecord } from '../indexing/index-progress.repository.js';
import { TemporalClient } from '../temporal/temporal.module.js';

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
  status: 'up' | 'down';
  /** True for a simulated network: its signatures are worth nothing elsewhere. */
  sandbox?: boolean;
  networkId?: number;
  pChainHeight?: string;
  message?: string;
  /** By chain. */
  index?: Record<string, IndexHealth>;
}

export interface HealthAnswer {
  status: 'ok' | 'error';
  info: Record<string, PartHealth>;
  error: Record<string, PartHealth>;
  details: Record<string, PartHealth>;
}

/** The service is unhealthy without its database or workflow engine; a network's node that is away is only shown. */
const REQUIRED_PARTS: ReadonlySet<string> = new Set(['database', 'temporal']);

@Injectable()
export class HealthService {
  constructor(
    private readonly database: Database,
    private readonly temporal: TemporalClient,
    private readonly networks: Networks,
    private readonly indexProgress: IndexProgressRepository,
    private readonly evmChains: EvmChains,
  ) {}

  async check(): Promise<HealthAnswer> {
    const [progress, ...parts] = await Promise.all([
      this.progress(),
      this.databaseHealth(),
      this.workflowEngine(),
      ...this.networks.all().map((network) => networkHealth(network)),
    ]);
    const details: Record<string, PartHealth> = Object.fromEntries(parts);
    for (const { network } of this.evmChains.all()) details[network] ??= ONLY_EVM_CHAINS;
    for (const record of progress) {
      const part = details[record.network];
      if (part === undefined) continue;
      const index = { ...part.index, [record.chain]: toIndexHealth(record) };
      details[record.network] = { ...part, index };
    }
    const error = pick(details, 'down');
    const info = pick(details, 'up');
    const isBroken = Object.keys(error).some((name) => REQUIRED_PARTS.has(name));
    return { status: isBroken ? 'error' : 'ok', info, error, details };
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

function pick(details: Record<string, PartHealth>, status: PartHealth['status']): Record<string, PartHealth> {
  return Object.fromEntries(Object.entries(details).filter(([, part]) => part.status === status));
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
